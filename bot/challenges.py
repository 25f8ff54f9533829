"""Handlers of new challenges: a conversation asks for the question and the deadline, buttons create or cancel it.

The buttons are not part of the conversation, so they also work after a restart of the bot.
"""

from __future__ import annotations

import asyncio
import re
from datetime import date, datetime, timedelta

from telegram import Update
from telegram.ext import CommandHandler, ConversationHandler, MessageHandler, filters

from bot import keyboards, messages, updates
from bot.context import BotContext
from bot.keyboards import Page
from bot.languages import SOURCE, spoken, translate
from bot.messages import notices
from bot.personal_keyboards import posting, sharing
from bot.replies import acknowledge, replace, reply
from bot.service import MAX_QUESTION, Person
from bot.store import Target
from service.client import BadRequest

QUESTION, DEADLINE = range(2)
TIMEOUT = timedelta(hours=1)  # afterwards plain text is a question to the oracle again
MIN_HORIZON, MAX_HORIZON = timedelta(hours=1), timedelta(days=365)  # the service's limits
MAX_DEADLINE = 60  # characters of a deadline
PREPOSITION = re.compile(r"^(by|on|until|till|before)\s+", re.IGNORECASE)
# How the service begins a refusal of a question that no price decides, and its note on a question without a date.
NO_PRICE, NO_DEADLINE = "No price decides this question", "No deadline was named"


async def begin(update: Update, context: BotContext) -> int:
    """/challenge, alone or followed by the question."""
    if context.argument:
        return await _save_question(update, context, context.argument)
    return await begin_by_link(update, context)


async def begin_by_link(update: Update, _context: BotContext) -> int:
    """/start new: the link that the bot shows in groups."""
    await reply(update, Page(messages.challenges.ask_question()))
    return QUESTION


async def take_question(update: Update, context: BotContext) -> int:
    """The first step of the conversation."""
    return await _save_question(update, context, updates.text(update))


async def take_deadline(update: Update, context: BotContext) -> int:
    """The second step, repeated until the deadline is one that the service accepts."""
    user = updates.user_id(update)
    draft_id = await asyncio.to_thread(context.store.newest_draft, user)
    draft = None if draft_id is None else await asyncio.to_thread(context.store.draft, user, draft_id)
    if draft_id is None or draft is None:
        await reply(update, Page(notices.draft_gone()))
        return ConversationHandler.END
    person = context.service.for_user(user)
    deadline, reason = await _read_deadline(person, updates.text(update))
    reason = reason or fault_of(deadline, _service_time(await context.service.challenges()))
    if reason:
        await reply(update, Page(messages.challenges.bad_deadline(reason)))
        return DEADLINE
    await asyncio.to_thread(context.store.set_deadline, user, draft_id, deadline)
    await reply(update, Page(messages.challenges.confirm(draft.question, deadline), keyboards.draft(draft_id)))
    return ConversationHandler.END


async def cancel(update: Update, context: BotContext) -> int:
    """/cancel during the conversation."""
    await asyncio.to_thread(context.store.drop_drafts, updates.user_id(update))
    await reply(update, Page(notices.cancelled()))
    return ConversationHandler.END


async def create(update: Update, context: BotContext) -> None:
    """[Create]: it creates the challenge once, however often it is pressed and also after a restart."""
    user, draft_id = updates.user_id(update), int(context.captures[0])
    draft = await asyncio.to_thread(context.store.draft, user, draft_id)
    key = await asyncio.to_thread(context.store.begin_creating, user, draft_id)
    if draft is None or draft.deadline is None or key is None:
        await acknowledge(updates.press(update), messages.start.expired(), is_alert=True)
        return
    await acknowledge(updates.press(update))
    person = context.service.for_user(user)
    challenge = await person.create_challenge(draft.question, draft.deadline, idempotency_key=key)
    number = challenge["number"]
    chat = updates.chat(update).id
    await asyncio.to_thread(context.store.remember_challenge, user, chat, number)
    target = Target("challenge", str(number), title=challenge["question"])
    is_followed = await asyncio.to_thread(context.store.follow, user, chat, target)
    share = sharing(context.bot.username, "challenge", str(number), challenge["question"])
    keyboard = keyboards.challenge(number, share, posting(context.bot.username, number), is_followed=is_followed)
    await replace(update, Page(messages.challenges.created(challenge), keyboard))


async def discard(update: Update, context: BotContext) -> None:
    """[Cancel]"""
    await asyncio.to_thread(context.store.drop_draft, updates.user_id(update), int(context.captures[0]))
    await acknowledge(updates.press(update))
    await replace(update, Page(notices.cancelled()))


async def wait(update: Update, _context: BotContext) -> None:
    """A text that arrives while the service checks the one before it."""
    await reply(update, Page(notices.still_checking()))


async def leave(update: Update, context: BotContext) -> int:
    """/start during the conversation."""
    await asyncio.to_thread(context.store.drop_drafts, updates.user_id(update))
    await reply(update, Page(messages.start.start()))
    return ConversationHandler.END


def fault_of(deadline: str, now: datetime) -> str | None:
    """Why the service would reject a date, YYYY-MM-DD, at its time `now`; None if it is valid."""
    first, last = (now + MIN_HORIZON).date(), (now + MAX_HORIZON).date()
    if first <= date.fromisoformat(deadline) <= last:
        return None
    return notices.date_out_of_range(f"{first}", f"{last}")


def conversation() -> ConversationHandler:
    """The two steps, in a private chat."""
    private, text = filters.ChatType.PRIVATE & filters.UpdateType.MESSAGE, filters.TEXT & ~filters.COMMAND
    return ConversationHandler(
        entry_points=[
            CommandHandler("challenge", begin, private),
            CommandHandler("start", begin_by_link, private & filters.Regex(r"^/start\s+new$")),
        ],
        states={
            QUESTION: [MessageHandler(private & text, take_question, block=False)],
            DEADLINE: [MessageHandler(private & text, take_deadline, block=False)],
            ConversationHandler.WAITING: [MessageHandler(private & text, wait)],
        },
        fallbacks=[
            CommandHandler("cancel", cancel, private),
            CommandHandler("start", leave, private & ~filters.Regex(r"^/start\s")),
        ],
        allow_reentry=True,
        conversation_timeout=TIMEOUT,
        name="challenge",
        persistent=True,
    )


async def _save_question(update: Update, context: BotContext, question: str) -> int:
    if len(question) > MAX_QUESTION:
        await reply(update, Page(notices.question_too_long(len(question), MAX_QUESTION)))
        return QUESTION
    user = updates.user_id(update)
    if refusal := await _refusal_of(context.service.for_user(user), question):
        await reply(update, Page(messages.challenges.bad_question(refusal)))
        return QUESTION
    await asyncio.to_thread(context.store.save_draft, user, question)
    await reply(update, Page(messages.challenges.ask_deadline(question)))
    return DEADLINE


async def _refusal_of(person: Person, question: str) -> BadRequest | None:
    """Why the service would refuse the question; people can also vote on one that no price decides."""
    try:
        reading = await person.understand(question)
    except BadRequest as refusal:
        return None if refusal.detail.startswith(NO_PRICE) else refusal
    return None if reading["understood"] else BadRequest(400, {"code": "not_a_market_question", "detail": ""})


async def _read_deadline(person: Person, text: str) -> tuple[str, str]:
    """The date, YYYY-MM-DD, that the service reads from a text such as "next Friday", and why there is none.

    The text is read in the person's language, then in English.
    """
    if len(text) > MAX_DEADLINE:
        return "", notices.impossible_date()
    reason = ""
    for question in dict.fromkeys((_question_until(text), spoken(SOURCE, lambda: _question_until(text)))):
        try:
            meaning = (await person.understand(question))["understood"]
        except BadRequest as refusal:
            reason = reason or translate("{detail}", detail=refusal.detail)
            continue
        if not any(note.startswith(NO_DEADLINE) for note in meaning["notes"]):
            return meaning["deadline"][:10], ""
    return "", reason or notices.impossible_date()


def _question_until(deadline: str) -> str:
    """A question with this deadline, in the current language."""
    return translate("Will Bitcoin rise by {deadline}?", deadline=PREPOSITION.sub("", deadline))


def _service_time(challenges: dict) -> datetime:
    """The service's time when it answered; in a replay it is not the bot's."""
    return datetime.fromisoformat(challenges["timestamp"])
