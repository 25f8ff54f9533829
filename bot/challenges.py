"""Handlers of new challenges: one message has the question and its date, buttons create it or cancel it."""

from __future__ import annotations

import asyncio
from datetime import date, datetime, timedelta

from telegram import Update

from bot import answering, keyboards, messages, updates
from bot.context import BotContext
from bot.keyboards import Page, posting, sharing
from bot.languages import SOURCE, language, spoken, translate
from bot.messages import notices
from bot.messages.failures import detail_of
from bot.messages.oracle import numbered
from bot.service import MAX_QUESTION, Document, Person
from bot.store import Target
from service.client import BadRequest

MIN_HORIZON, MAX_HORIZON = timedelta(hours=1), timedelta(days=365)  # the service's limits
# How the service begins a refusal of a question that no price decides, and its note on a question without a date.
NO_PRICE, NO_DEADLINE = "No price decides this question", "No deadline was named"
DATE_WORDS = 5  # at the end of a question, which may be its date


async def begin(update: Update, context: BotContext) -> Page:
    """/challenge QUESTION with its date: a draft to confirm; without a date, buttons for one."""
    question = context.argument
    if not question or question.startswith("new"):
        return Page(translate(messages.challenges.ASK_QUESTION))
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
    return Page(messages.challenges.ask_deadline(question), keyboards.deadlines(token, now.date()))


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
    return Page(messages.challenges.confirm(question, deadline), keyboards.draft(token))


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
    return Page(messages.challenges.created(challenge), keyboard)


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
