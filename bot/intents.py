"""What a text wants, as the service reads it free of charge: a price, an alert, thanks, or a question to the voters."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from telegram import Update
from telegram.constants import ChatType

from bot import answering, challenges, follows, keyboards, messages, photos, updates
from bot.commands import fixed_reply, private_command_in_group
from bot.context import BotContext
from bot.delivery import address, reply
from bot.errors import failure_page
from bot.keyboards import Page
from bot.languages import translate, zone
from bot.messages import notices
from bot.service import MAX_QUESTION, Document
from service.client import ASSETS, BadRequest, ClientError, ConnectionFailed, TimedOut

CONTEXT_S = 3600  # a later text does not carry on the last question of the chat
HEADLINE = 400  # characters of a forwarded text; what it says stands at its beginning
LONGEST_FORECAST_H, ADVICE_DAYS = 366 * 24, 7
SLIP_CODES = ("level", "deadline")  # of refusals that name a level or a date which cannot be
QUESTION_MARKS = ("?", "？", "呢")
NAMED_ZONE = re.compile(r"\b(utc|gmt)\b", re.IGNORECASE)
# A text that is only a level, or a move: an answer to "At which price?".
LEVEL = re.compile(r"[-+$]?\d[\d.,' ]*\s*(k|m|usdt?|dollars?|[$%])?", re.IGNORECASE)
# How a deadline without a zone ends, and how the service begins its note on a time without one.
DAY_END, OPEN_ZONE = "T23:59:59Z", "The deadline is understood as"
UNREAD: Document = {"intent": "question", "understood": None}


async def ask(update: Update, context: BotContext) -> Page | None:
    """/ask QUESTION"""
    if not context.argument:
        return Page(translate(notices.QUESTION_MISSING))
    return await handle_text(update, context, context.argument)


async def ask_by_text(update: Update, context: BotContext) -> Page | None:
    """Plain text or a caption in a private chat is a question."""
    return await handle_text(update, context, updates.text(update))


async def ask_in_group(update: Update, context: BotContext) -> Page | None:
    """A text that mentions the bot or replies to it is a question; a mention alone asks the message it replies to."""
    message, mention = updates.message(update), f"@{context.bot.username}"
    text = re.sub(re.escape(mention) + r"\b", "", updates.text(update), flags=re.IGNORECASE)
    original = message.reply_to_message
    is_reply = original is not None and original.from_user is not None and original.from_user.id == context.bot.id
    if text == updates.text(update) and not is_reply:
        return None
    switches = await asyncio.to_thread(context.store.switches, updates.chat(update).id)
    if switches["commands_only"] == "on":
        return None
    original_text = updates.words(original) if original is not None and not is_reply else ""
    if question := text.strip() or original_text:
        return await handle_text(update, context, question)
    return Page(translate(notices.QUESTION_MISSING))


async def handle_text(update: Update, context: BotContext, text: str) -> Page | None:
    """Do what a text wants; only an answer of the voters counts, which delivers itself."""
    if updates.message(update).forward_origin is not None:
        text = text[:HEADLINE]
    if len(text) > MAX_QUESTION:
        return Page(notices.question_too_long(len(text), MAX_QUESTION))
    try:
        reading = await _read(update, context, text)
        text, reading = await _in_zone(update, context, text, reading)
        handler = PAGES.get(reading["intent"])  # the reply to a text that needs no voters
        page = await handler(update, context, reading) if handler else None
        if page is None and (readings := uncertain_readings(meaning := reading["understood"])):
            page = await answering.choice_page(context.state, *updates.sender(update), readings, meaning=meaning)
    except BadRequest as refusal:
        await _follow_refusal(update, context, text)
        return await answering.refusal_page(context.state, *updates.sender(update), refusal)
    except ClientError as error:
        return failure_page(error)
    if page is None:
        await ask_voters(update, context, _question(text, reading["understood"]))
    return page


async def ask_voters(update: Update, context: BotContext, text: str) -> None:
    """Reply with the answer of the voters, which counts."""
    user, chat = updates.user_id(update), updates.chat(update)
    if user in context.state.askers:
        await reply(context.bot, update, Page(translate(messages.oracle.BUSY)))
        return
    is_private = chat.type == ChatType.PRIVATE
    with answering.marked_as_asking(context.state.askers, user):
        question = await asyncio.to_thread(context.store.open_question, user, *address(update), text, update.update_id)
        if question is None:
            return
        page = await answering.answer(context, question, None if is_private else updates.first_name(update))
    await photos.follow(update, context, page)


async def _follow_refusal(update: Update, context: BotContext, text: str) -> None:
    """Let the next text correct the level or date of a refused one, but carry nothing on that is older than it."""
    try:
        await context.person(update).understand(text)
    except ClientError as error:
        if isinstance(error, BadRequest) and error.code == "invalid_question":
            suggestions = error.suggestions if error.errors[0].get("code") in SLIP_CODES else ()
            await context.remember(update, {"canonical": suggestions[0], "certainty": "assumed"} if suggestions else {})


def uncertain_readings(meaning: Document | None) -> list[str]:
    """The questions that a text may mean, where its reading rests on an assumption."""
    if meaning is None or meaning["certainty"] != "assumed":
        return []
    return [meaning["canonical"], *(other["question"] for other in meaning["alternatives"])]


def _question(text: str, meaning: Document | None) -> str:
    """The text, or the whole question where the text only carries an earlier one on."""
    return meaning["canonical"] if meaning and meaning["carryover"] else text


async def _read(update: Update, context: BotContext, text: str) -> Document:
    """What the text wants, with what it replies to or else the last question of the chat as its context.

    While the service is away every text is a question, which is kept and answered later.
    """
    person = context.person(update)
    earlier = await _earlier(update, context)
    try:
        alert = (earlier or {}).get("alert")
        if alert and LEVEL.fullmatch(text):
            return await person.understand(f"alert {alert} {text}")
        if earlier is None or messages.prices.find_asset(text, ASSETS):  # "btc" after a question is a price
            return await person.understand(text)
        reading = await person.understand(text, context=earlier)
        meaning = reading["understood"]
        if earlier and meaning and meaning["carryover"] and earlier.get("certainty") == "assumed":
            meaning["certainty"] = "assumed"  # what carries a guess on, which was only shown, is a guess too
        return reading
    except (ConnectionFailed, TimedOut):
        return UNREAD
    except BadRequest as refusal:
        if earlier is None or not any(error["field"].startswith("context") for error in refusal.errors):
            raise
    return await person.understand(text)


async def _in_zone(update: Update, context: BotContext, text: str, reading: Document) -> tuple[str, Document]:
    """The text and what it wants with its dates in the person's time zone, where the text names none."""
    meaning = reading["understood"]
    if meaning is None or zone().key == "UTC" or NAMED_ZONE.search(text):
        return text, reading
    if not meaning["deadline"].endswith(DAY_END) and not any(note.startswith(OPEN_ZONE) for note in meaning["notes"]):
        return text, reading
    offset = f"{datetime.fromisoformat(meaning['deadline']).astimezone(zone()):%z}"
    local_text = f"{text.rstrip(' '.join(QUESTION_MARKS))} UTC{offset}?"
    earlier = await _earlier(update, context) if meaning["carryover"] else None
    try:
        local = await context.person(update).understand(local_text, context=earlier)
    except BadRequest:
        return text, reading
    notes = local["understood"]["notes"] if local["understood"] else [f"utc{offset}"]
    return (text, reading) if any(f"utc{offset}" in note.lower() for note in notes) else (local_text, local)


async def _earlier(update: Update, context: BotContext) -> Document | None:
    original, (_, payload) = updates.message(update).reply_to_message, await _quoted(update, context)
    if payload and (meaning := payload.get("answer", payload).get("understood")):
        return meaning
    is_own = bool(original and original.from_user and original.from_user.id == context.bot.id)
    text = updates.words(original) if original and not is_own else ""
    if text:
        return {"canonical": text[:HEADLINE]}
    return await asyncio.to_thread(context.store.newest_meaning, updates.chat(update).id, CONTEXT_S)


async def _quoted(update: Update, context: BotContext) -> tuple[str, Document | None]:
    """The token and the payload of the answer, or of the offered questions, that the text replies to."""
    original = updates.message(update).reply_to_message
    rows = original.reply_markup.inline_keyboard if original and original.reply_markup else ()
    data = (str(button.callback_data) for row in rows for button in row if button.callback_data)
    places = (words.rpartition(":")[2] for words in data if words.startswith(("votes:", "again:", "ask:listed:")))
    token = next(places, "").partition(".")[0]
    return token, await asyncio.to_thread(context.store.find, updates.chat(update).id, token) if token else None


async def _price(update: Update, context: BotContext, reading: Document) -> Page | None:
    """The present price, all of them for several assets; the service says that of a coin that is not in the list."""
    asset = reading["asset"]
    quote = await _quote(context, asset)
    if quote is None:
        return None if asset else await context.view(update, "price", "")
    amount = f"{reading['amount']:.10f} " if reading["amount"] else ""
    currency = f" in {reading['currency']}" if reading["currency"] and reading["value"] else ""
    await context.remember(update, {"canonical": f"price of {amount}{asset}{currency}"})
    page = await context.view(update, "price", asset)
    return page._replace(text="\n".join(filter(None, [messages.prices.conversion(quote, reading), page.text])))


async def _quote(context: BotContext, asset: str | None) -> Document | None:
    """The present price of an asset; None of a coin that is not in the list."""
    return next((quote for quote in (await context.service.prices())["prices"] if quote["asset"] == asset), None)


async def _forecast(update: Update, context: BotContext, reading: Document) -> Page | None:
    """Where the price will be, first at a date that is named; voters are asked about other coins and far dates."""
    asset, meaning, service = reading["asset"], reading["understood"], context.service
    if await _quote(context, asset) is None or meaning["horizon_hours"] > LONGEST_FORECAST_H:
        return None
    await context.remember(update, meaning)
    page = await context.view(update, "forecast", asset)
    if any(note.startswith(challenges.NO_DEADLINE) for note in meaning["notes"]):
        return page
    document, outlook = await asyncio.gather(service.forecast(asset), service.forecast(asset, at=meaning["deadline"]))
    return page._replace(text=messages.prices.forecast(document, *outlook["horizons"], now=context.state.now()))


async def _advice(update: Update, context: BotContext, reading: Document) -> Page:
    """No advice, but a question that the voters answer."""
    now = datetime.fromisoformat((await context.service.prices())["timestamp"])
    name = ASSETS.get(reading["asset"] or "btc", ASSETS["btc"])
    question = f"Will {name} rise by {now + timedelta(days=ADVICE_DAYS):%Y-%m-%d}?"
    head = translate(notices.NO_ADVICE)
    return await answering.choice_page(context.state, *updates.sender(update), [question], head=head)


async def _votes(update: Update, context: BotContext, _reading: Document) -> Page:
    """The votes of the answer that the text replies to, else of the last; what was only offered has none yet."""
    token, payload = await _quoted(update, context)
    if payload is None:
        token, payload = await asyncio.to_thread(context.store.newest_page, updates.chat(update).id)
    if payload is None:
        return Page(translate(notices.NO_ANSWER))
    if "answer" in payload:
        return answering.votes_page(payload, token)
    head = translate(notices.NOT_ASKED)
    return await answering.choice_page(context.state, *updates.sender(update), payload["listed"], head=head)


async def _why(update: Update, context: BotContext, reading: Document) -> Page:
    """What the data shows about the move of a price; the votes of the last answer where no market is named."""
    asset = reading["asset"]
    if await _quote(context, asset) is None:
        return await _votes(update, context, reading)
    await context.remember(update, {"canonical": f"{asset} price"})
    prices, pulse = await asyncio.gather(context.service.prices(), context.service.news())
    page = await context.view(update, "price", asset)
    text = messages.prices.why(prices, asset, pulse, await photos.forecast_of(context.service, asset))
    token, payload = await asyncio.to_thread(context.store.newest_page, updates.chat(update).id, CONTEXT_S)
    is_about = payload is not None and "answer" in payload and payload["answer"]["understood"]["asset"] == asset
    votes = [keyboards.button("Show votes", f"votes:0:{token}")] if is_about else []
    rows = page.keyboard.inline_keyboard if page.keyboard else ()
    return page._replace(text=text, keyboard=keyboards.rows(votes, *rows))


async def _follows(update: Update, context: BotContext, reading: Document) -> Page:
    """What the person follows, or the question whether it should end; only they see it."""
    if updates.chat(update).type != ChatType.PRIVATE:
        return await private_command_in_group(update, context)
    view = "ending" if reading["intent"] == "cancel_alerts" else "following"
    return await context.view(update, view, reading["asset"] or "")


PAGES: dict[str, Callable[[Update, BotContext, Document], Awaitable[Page | None]]] = {
    "price": _price,
    "price_forecast": _forecast,
    "alert": follows.alert_page,
    "my_alerts": _follows,
    "cancel_alerts": _follows,
    "advice": _advice,
    "why": _why,
    "show_votes": _votes,
    "accuracy": lambda update, context, _reading: context.view(update, "accuracy"),
    "quota": lambda update, context, _reading: context.view(update, "quota"),
    "thanks": fixed_reply(notices.WELCOME),
    "greeting": fixed_reply(notices.HELLO),
    "about_you": fixed_reply(notices.START),
    "help": fixed_reply(*notices.HELP),
}
