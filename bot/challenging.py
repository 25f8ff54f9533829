"""A challenge: its question and its date are texts of a conversation, Create and Cancel buttons that outlive it."""

from __future__ import annotations

import asyncio
import re
from datetime import date, datetime, timedelta

from telegram import Update
from telegram.ext import CommandHandler, ConversationHandler, MessageHandler, filters

from bot import keyboards, messages
from bot.context import Context
from bot.keyboards import Page
from bot.messages import notices
from bot.sending import acknowledge, replace, reply

QUESTION, DEADLINE = range(2)
FORGOTTEN = timedelta(hours=1)  # after that plain text is a question to the oracle again
LONGEST = 500  # characters of a question
SOONEST, FARTHEST = timedelta(hours=1), timedelta(days=365)  # what the service allows
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


async def begin(update: Update, context: Context) -> int:
    """/challenge, alone or with the question."""
    if question := " ".join(context.args or ()):
        return await _take(update, context, question)
    return await begin_by_link(update, context)


async def begin_by_link(update: Update, _context: Context) -> int:
    """The link that a group is given."""
    await reply(update, Page(messages.ask_question()))
    return QUESTION


async def take_question(update: Update, context: Context) -> int:
    """The first step."""
    return await _take(update, context, " ".join(update.effective_message.text.split()))


async def take_deadline(update: Update, context: Context) -> int:
    """The second step; asked again until it is a date that the service takes."""
    user = update.effective_user.id
    draft_id = await asyncio.to_thread(context.store.newest_draft, user)
    draft = draft_id and await asyncio.to_thread(context.store.draft, user, draft_id)
    if not draft:
        await reply(update, Page(notices.draft_gone()))
        return ConversationHandler.END
    deadline = update.effective_message.text.strip()
    if reason := fault_of(deadline, _instant(await context.service.challenges())):
        await reply(update, Page(messages.bad_deadline(reason)))
        return DEADLINE
    await asyncio.to_thread(context.store.set_deadline, user, draft_id, deadline)
    await reply(update, Page(messages.confirm(draft.question, deadline), keyboards.draft(draft_id)))
    return ConversationHandler.END


async def leave(update: Update, context: Context) -> int:
    """/cancel while a challenge is being written."""
    await asyncio.to_thread(context.store.drop_drafts, update.effective_user.id)
    await reply(update, Page(notices.cancelled()))
    return ConversationHandler.END


async def create(update: Update, context: Context) -> None:
    """[Create]; however often it is pressed, and also after a restart, it creates once."""
    user, draft_id = update.effective_user.id, int(context.match[1])
    draft = await asyncio.to_thread(context.store.draft, user, draft_id)
    key = await asyncio.to_thread(context.store.begin_creating, user, draft_id)
    if draft is None or key is None:
        await acknowledge(update.callback_query, messages.expired(), is_alert=True)
        return
    await acknowledge(update.callback_query)
    person = context.service.for_user(user)
    told = await person.create_challenge(draft.question, draft.deadline, idempotency_key=key)
    await asyncio.to_thread(context.store.remember_challenge, user, update.effective_chat.id, told["number"])
    await replace(update, Page(messages.created(told), keyboards.challenge(told["number"])))


async def discard(update: Update, context: Context) -> None:
    """[Cancel]"""
    await asyncio.to_thread(context.store.drop_draft, update.effective_user.id, int(context.match[1]))
    await acknowledge(update.callback_query)
    await replace(update, Page(notices.cancelled()))


def fault_of(deadline: str, now: datetime) -> str | None:
    """What is wrong with a deadline at the instant `now` of the service's world; None when it will do."""
    if not DATE.fullmatch(deadline) or not _is_in_calendar(deadline):
        return notices.impossible_date()
    first, last = (now + SOONEST).date(), (now + FARTHEST).date()
    if first <= date.fromisoformat(deadline) <= last:
        return None
    return notices.date_out_of_range(f"{first}", f"{last}")


def conversation() -> ConversationHandler:
    """The two steps, in a private chat."""
    alone, text = filters.ChatType.PRIVATE & filters.UpdateType.MESSAGE, filters.TEXT & ~filters.COMMAND
    return ConversationHandler(
        entry_points=[
            CommandHandler("challenge", begin, alone),
            CommandHandler("start", begin_by_link, alone & filters.Regex(r"^/start\s+new$")),
        ],
        states={
            QUESTION: [MessageHandler(alone & text, take_question)],
            DEADLINE: [MessageHandler(alone & text, take_deadline)],
        },
        fallbacks=[CommandHandler("cancel", leave, alone)],
        allow_reentry=True,
        conversation_timeout=FORGOTTEN,
        name="challenge",
        persistent=True,
    )


async def _take(update: Update, context: Context, question: str) -> int:
    if len(question) > LONGEST:
        await reply(update, Page(notices.too_long(len(question), LONGEST)))
        return QUESTION
    await asyncio.to_thread(context.store.save_draft, update.effective_user.id, question)
    await reply(update, Page(messages.ask_deadline(question)))
    return DEADLINE


def _instant(told: dict) -> datetime:
    """The instant of the world at which the service answered."""
    return datetime.fromisoformat(told["timestamp"])


def _is_in_calendar(deadline: str) -> bool:
    try:
        date.fromisoformat(deadline)
    except ValueError:
        return False
    return True
