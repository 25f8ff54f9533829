"""The buttons that are not part of a question, a challenge being written or the alerts."""

from __future__ import annotations

import asyncio

from telegram import Update
from telegram.constants import ChatAction

from bot import messages
from bot.asking import kept
from bot.context import Context
from bot.drawings import DRAWINGS
from bot.keyboards import Page
from bot.messages import notices
from bot.sending import acknowledge, replace
from bot.views import VIEWS


async def show(update: Update, context: Context) -> None:
    """A view in place of what the message showed: Reload, another page, another filter."""
    view, argument, page = context.match.groups()
    await acknowledge(update.callback_query)
    await replace(update, await VIEWS[view](context.request(update, argument, int(page))))


async def chart(update: Update, context: Context) -> None:
    """[Chart]: a photo below the message."""
    kind, argument = context.match.groups()
    await acknowledge(update.callback_query)
    await update.effective_chat.send_action(ChatAction.UPLOAD_PHOTO)
    picture, told = await DRAWINGS[kind](context.service, argument or None)
    await update.effective_chat.send_photo(picture, caption=messages.caption(kind, told))


async def vote_market(update: Update, context: Context) -> None:
    """[Yes] and [No] to one of the markets of a page."""
    word, token, place = context.match.groups()
    found = await kept(update, context, token)
    if found is None:
        return
    person = context.service.for_user(update.effective_user.id)
    told = await person.vote(found["markets"][int(place)], word)
    await acknowledge(update.callback_query, notices.voted(told))


async def vote_challenge(update: Update, context: Context) -> None:
    """[Yes] and [No] to a challenge, whose votes are then shown anew."""
    word, number = context.match.groups()
    person = context.service.for_user(update.effective_user.id)
    told = await person.vote_challenge(int(number), word)
    await acknowledge(update.callback_query, notices.voted(told))
    await replace(update, await VIEWS["challenge"](context.request(update, number)))


async def forget(update: Update, context: Context) -> None:
    """[Delete] and [Keep]."""
    await acknowledge(update.callback_query)
    if context.match[1] == "keep":
        await replace(update, Page(notices.kept()))
        return
    counts = await asyncio.to_thread(context.store.forget, update.effective_user.id)
    await replace(update, Page(messages.deleted(counts)))


async def expired(update: Update, _context: Context) -> None:
    """A button of a former version of the bot."""
    await acknowledge(update.callback_query, messages.expired(), is_alert=True)
