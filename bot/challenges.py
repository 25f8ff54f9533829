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
from bot.messages import notices
from bot.replies import acknowledge, replace, reply

QUESTION, DEADLINE = range(2)
TIMEOUT = timedelta(hours=1)  # afterwards plain text is a question to the oracle again
MAX_LENGTH = 500  # characters of a question
MIN_HORIZON, MAX_HORIZON = timedelta(hours=1), timedelta(days=365)  # the service's limits
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


async def begin(update: Update, context: BotContext) -> int:
    """/challenge, alone or followed by the question."""
    if context.argument:
        return await _save_question(update, context, context.argument)
    return await begin_by_link(update, context)


async def begin_by_link(update: Update, _context: BotContext) -> int:
    """/start new: the link that the bot shows in groups."""
    await reply(update, Page(messages.ask_question()))
    return QUESTION


async def take_question(update: Update, context: BotContext) -> int:
    """The first step of the conversation."""
    return await _save_question(update, context, " ".join(updates.text(update).split()))


async def take_deadline(update: Update, context: BotContext) -> int:
    """The second step, repeated until the deadline is one that the service accepts."""
    user = updates.user_id(update)
    draft_id = await asyncio.to_thread(context.store.newest_draft, user)
    draft = None if draft_id is None else await asyncio.to_thread(context.store.draft, user, draft_id)
    if draft_id is None or draft is None:
        await reply(update, Page(notices.draft_gone()))
        return ConversationHandler.END
    deadline = updates.text(update).strip()
    if reason := fault_of(deadline, _service_time(await context.service.challenges())):
        await reply(update, Page(messages.bad_deadline(reason)))
        return DEADLINE
    await asyncio.to_thread(context.store.set_deadline, user, draft_id, deadline)
    await reply(update, Page(messages.confirm(draft.question, deadline), keyboards.draft(draft_id)))
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
        await acknowledge(updates.press(update), messages.expired(), is_alert=True)
        return
    await acknowledge(updates.press(update))
    person = context.service.for_user(user)
    challenge = await person.create_challenge(draft.question, draft.deadline, idempotency_key=key)
    number = challenge["number"]
    await asyncio.to_thread(context.store.remember_challenge, user, updates.chat(update).id, number)
    await replace(update, Page(messages.created(challenge), keyboards.challenge(number)))


async def discard(update: Update, context: BotContext) -> None:
    """[Cancel]"""
    await asyncio.to_thread(context.store.drop_draft, updates.user_id(update), int(context.captures[0]))
    await acknowledge(updates.press(update))
    await replace(update, Page(notices.cancelled()))


def fault_of(deadline: str, now: datetime) -> str | None:
    """Why the service would reject a deadline at its time `now`; None if it is valid."""
    if not DATE.fullmatch(deadline) or not _is_in_calendar(deadline):
        return notices.impossible_date()
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
            QUESTION: [MessageHandler(private & text, take_question)],
            DEADLINE: [MessageHandler(private & text, take_deadline)],
        },
        fallbacks=[CommandHandler("cancel", cancel, private)],
        allow_reentry=True,
        conversation_timeout=TIMEOUT,
        name="challenge",
        persistent=True,
    )


async def _save_question(update: Update, context: BotContext, question: str) -> int:
    if len(question) > MAX_LENGTH:
        await reply(update, Page(notices.question_too_long(len(question), MAX_LENGTH)))
        return QUESTION
    await asyncio.to_thread(context.store.save_draft, updates.user_id(update), question)
    await reply(update, Page(messages.ask_deadline(question)))
    return DEADLINE


def _service_time(challenges: dict) -> datetime:
    """The service's time when it answered; in a replay it is not the bot's."""
    return datetime.fromisoformat(challenges["timestamp"])


def _is_in_calendar(deadline: str) -> bool:
    try:
        date.fromisoformat(deadline)
    except ValueError:
        return False
    return True
