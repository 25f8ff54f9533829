"""Handlers of challenges.

In a private chat one message has the question and its date, and buttons create it or cancel it. In a group a challenge
is a message that is edited when votes come in and when it is resolved.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import date, datetime, timedelta

import telegram.error
from telegram import Update
from telegram.error import Forbidden, TelegramError
from telegram.helpers import create_deep_linked_url

from bot import answering, keyboards, messages, updates
from bot.context import BotContext
from bot.delivery import edit, is_gone, reply
from bot.keyboards import Page, link, opening, posting, rows, sharing, yes_no
from bot.languages import SOURCE, language, speaking, spoken, translate
from bot.messages import notices
from bot.messages.failures import detail_of
from bot.messages.follows import CHALLENGE
from bot.messages.oracle import numbered
from bot.service import MAX_QUESTION, Document, Person
from bot.store import LiveMessage, Target
from service.client import BadRequest, ClientError, NotFound

LOG = logging.getLogger(__name__)

MIN_HORIZON, MAX_HORIZON = timedelta(hours=1), timedelta(days=365)  # the service's limits
# How the service begins a refusal of a question that no price decides, and its note on a question without a date.
NO_PRICE, NO_DEADLINE = "No price decides this question", "No deadline was named"
DATE_WORDS = 5  # at the end of a question, which may be its date
EVERY_S = 6.0  # a message is edited at most once in this time; a group may get twenty messages a minute
UNLISTED_MIN = 30


async def begin(update: Update, context: BotContext) -> Page:
    """/challenge QUESTION with its date: a draft to confirm; without a date, buttons for one."""
    question = context.argument
    if not question or question.startswith("new"):
        return Page(translate(messages.predictions.ASK_QUESTION))
    if len(question) > MAX_QUESTION:
        return Page(notices.question_too_long(len(question), MAX_QUESTION))
    person, now = context.person(update), await _service_time(context)
    try:
        deadline = await _deadline(person, question)
    except BadRequest as refusal:
        hint = translate("Send /challenge again with another question.")
        lines = numbered(await answering.meanings_of(person, refusal.suggestions))
        return Page("\n".join([detail_of(refusal), *([translate("You can ask:"), *lines] if lines else []), "", hint]))
    if deadline is not None:
        return await _confirmation(update, context, question, deadline, now)
    token = await _save(update, context, {"challenge": question})
    return Page(messages.predictions.ask_deadline(question), keyboards.deadlines(token, now.date()))


async def _save(update: Update, context: BotContext, draft: Document) -> str:
    """The token of a draft, which is saved for its buttons."""
    chat, user = updates.sender(update)
    return await asyncio.to_thread(context.store.keep, chat, "challenge", draft, user_id=user)


async def choose_deadline(update: Update, context: BotContext) -> Page:
    """One of the dates below a question that named none."""
    token, days = context.captures
    draft, now = await context.payload(update, token), await _service_time(context)
    deadline = f"{now.date() + timedelta(days=int(days))}"
    return await _confirmation(update, context, draft["challenge"], deadline, now)


async def _confirmation(update: Update, context: BotContext, question: str, deadline: str, now: datetime) -> Page:
    """The draft above [Create] and [Cancel]."""
    first, last = (now + MIN_HORIZON).date(), (now + MAX_HORIZON).date()
    if not first <= date.fromisoformat(deadline) <= last:
        return Page(notices.date_out_of_range(f"{first}", f"{last}"))
    token = await _save(update, context, {"challenge": question, "deadline": deadline})
    return Page(messages.predictions.confirm(question, deadline), keyboards.draft(token))


async def create(update: Update, context: BotContext) -> Page:
    """[Create]: it creates the challenge once, however often it is pressed and also after a restart."""
    (token,), (chat, user) = context.captures, updates.sender(update)
    draft, person = await context.payload(update, token), context.service.for_user(user)
    challenge = await person.create_challenge(
        draft["challenge"], draft["deadline"], idempotency_key=f"challenge-{token}"
    )
    await asyncio.to_thread(context.store.drop_payload, chat, token)
    number = challenge["number"]
    await asyncio.to_thread(context.store.remember_challenge, user, chat, number)
    target = Target("market", challenge["id"], title=challenge["question"])
    follow = await asyncio.to_thread(context.store.follow, user, chat, target)
    share = sharing(context.bot.username, "market", challenge["id"], challenge["question"])
    address = posting(context.bot.username, number)
    keyboard = keyboards.market(challenge["id"], share, (), address, is_followed=follow is not None)
    return Page(messages.predictions.created(challenge), keyboard)


async def discard(update: Update, context: BotContext) -> Page:
    """[Cancel]"""
    await asyncio.to_thread(context.store.drop_payload, updates.chat(update).id, context.captures[0])
    return Page(translate(notices.CANCELLATION))


async def _deadline(person: Person, question: str) -> str | None:
    """The date, YYYY-MM-DD, that a question names; None if it names none.

    Raises BadRequest for a question that the service would refuse. People can also vote on one that no price decides;
    its last words are then read as a date, in the person's language, then in English.
    """
    try:
        meaning = (await person.understand(question))["understood"]
    except BadRequest as refusal:
        if not refusal.detail.startswith(NO_PRICE):
            raise
    else:
        if meaning is None:
            raise BadRequest(400, {"code": "not_a_market_question", "detail": ""})
        return _named_date(meaning)
    words = " ".join(question.rstrip("?？ ").split()[-DATE_WORDS:])
    for code in dict.fromkeys((language(), SOURCE)):
        text = spoken(code, lambda: translate("Will Bitcoin rise by {deadline}?", deadline=words))
        try:
            meaning = (await person.understand(text))["understood"]
        except BadRequest:
            continue
        if meaning and (deadline := _named_date(meaning)):
            return deadline
    return None


def _named_date(meaning: dict) -> str | None:
    return None if any(note.startswith(NO_DEADLINE) for note in meaning["notes"]) else meaning["deadline"][:10]


async def _service_time(context: BotContext) -> datetime:
    """The service's time; in a replay it is not the bot's."""
    return datetime.fromisoformat((await context.service.challenges())["timestamp"])


async def post(update: Update, context: BotContext) -> Page | None:
    """/challenge 17 in a group, or a link that posts it there; without a number, the way to write one."""
    number = context.argument.removeprefix("challenge_")
    if not number.isdecimal():
        address = create_deep_linked_url(context.bot.username, "new")
        return Page(translate(notices.CHALLENGE_IN_PRIVATE), rows(link("Open our chat", address)))
    challenge = await context.service.market(f"{CHALLENGE}{number}")
    message = await reply(context.bot, update, _page(context, challenge))
    live = LiveMessage(message.chat_id, message.message_id, challenge["number"], _state(challenge))
    await asyncio.to_thread(context.store.show_live, live)
    return None


async def refresh(context: BotContext, number: int | None = None) -> None:
    """Bring the messages of a challenge up to date after a vote, or all: other programs vote, challenges are resolved.

    Of all messages, those of open challenges are looked at; others are looked up in one of UNLISTED_MIN minutes.
    """
    lives = await asyncio.to_thread(context.store.live_messages, number)
    if lives and number is None:
        try:
            still_open = {challenge["number"] for challenge in (await context.service.challenges())["challenges"]}
        except ClientError:
            return
        turn = context.state.now().minute % UNLISTED_MIN
        lives = [live for live in lives if live.number in still_open or live.number % UNLISTED_MIN == turn]
    for live in lives:
        if live[:2] not in context.state.live_edits:
            context.application.create_task(_follow(context, live))


async def _follow(context: BotContext, live: LiveMessage) -> None:
    """Edit a message until it shows the state of its challenge."""
    edits = context.state.live_edits
    if live[:2] in edits:
        return
    edits.add(live[:2])
    try:
        while (state := await _shown(context, live)) is not None:
            live = live._replace(state=state)
            await asyncio.sleep(EVERY_S)
    except NotFound:
        await asyncio.to_thread(context.store.drop_live, live)
    except (ClientError, TelegramError) as error:
        LOG.info("a live challenge will be shown later: %s", error)
    finally:
        edits.discard(live[:2])


async def _shown(context: BotContext, live: LiveMessage) -> str | None:
    """Edit a message once; returns what it shows then, or None if there is nothing more to do now."""
    challenge = await _challenge(context, live.number)
    state = _state(challenge)
    if state == live.state:
        return None
    with speaking(await asyncio.to_thread(context.store.language, live.chat_id)):
        page = _page(context, challenge)
    try:
        await edit(context.bot, live[:2], page)
    except (telegram.error.BadRequest, Forbidden) as error:
        if isinstance(error, Forbidden) or is_gone(error):
            await asyncio.to_thread(context.store.drop_live, live)
        return None
    if challenge["resolution"]["outcome"]:
        await asyncio.to_thread(context.store.drop_live, live)
        return None
    await asyncio.to_thread(context.store.show_live, live._replace(state=state))
    return state


async def _challenge(context: BotContext, number: int) -> Document:
    """A challenge from the list of the open ones, which all messages share, else by itself."""
    document = await context.service.challenges()
    entry = next((challenge for challenge in document["challenges"] if challenge["number"] == number), None)
    return entry | {"world": document["world"]} if entry else await context.service.market(f"{CHALLENGE}{number}")


def _state(challenge: Document) -> str:
    """What an edit would show: the votes of people and of the AI, and the status."""
    votes, pool, outcome = challenge["user_votes"], challenge["ai"], challenge["resolution"]["outcome"]
    return f"{challenge['status']} {outcome} {votes['yes']} {votes['no']} {pool and pool['p_yes']}"


def _page(context: BotContext, challenge: Document) -> Page:
    number, is_open = challenge["number"], challenge["status"] == "open"
    address = opening(context.bot.username, "challenge", str(number))
    votes = yes_no(f"challenge:{number}") if is_open else []
    return Page(messages.predictions.live_challenge(challenge), rows(votes, link("Open in the bot", address)))
