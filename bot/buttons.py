"""Handlers of the buttons of views, charts, votes and /deleteme; other buttons belong to their own modules."""

from __future__ import annotations

import asyncio

from telegram import Update
from telegram.constants import ChatAction

from bot import messages, updates
from bot.context import BotContext
from bot.keyboards import Page
from bot.messages import notices
from bot.photos import PHOTOS
from bot.questions import saved_payload
from bot.replies import acknowledge, replace
from bot.views import VIEWS


async def show(update: Update, context: BotContext) -> None:
    """Show a view in place: reload it, turn a page or set a filter."""
    view, argument, page = context.captures
    await acknowledge(updates.press(update))
    await replace(update, await VIEWS[view](context.view_request(update, argument, int(page))))


async def chart(update: Update, context: BotContext) -> None:
    """[Chart]: send a photo below the message."""
    kind, argument = context.captures
    chat = updates.chat(update)
    await acknowledge(updates.press(update))
    await chat.send_action(ChatAction.UPLOAD_PHOTO)
    picture, document = await PHOTOS[kind](context.service, argument or None)
    await chat.send_photo(picture, caption=messages.caption(kind, document))


async def vote_market(update: Update, context: BotContext) -> None:
    """[Yes] and [No] for a market of the page; the button carries its index on the page."""
    vote, token, index = context.captures
    saved = await saved_payload(update, context, token)
    if saved is None:
        return
    person = context.service.for_user(updates.user_id(update))
    receipt = await person.vote(saved["markets"][int(index)], vote)
    await acknowledge(updates.press(update), notices.voted(receipt))


async def vote_challenge(update: Update, context: BotContext) -> None:
    """[Yes] and [No] for a challenge; its message is then updated."""
    vote, number = context.captures
    person = context.service.for_user(updates.user_id(update))
    receipt = await person.vote_challenge(int(number), vote)
    await acknowledge(updates.press(update), notices.voted(receipt))
    await replace(update, await VIEWS["challenge"](context.view_request(update, number)))


async def delete_or_keep(update: Update, context: BotContext) -> None:
    """[Delete] and [Keep] of /deleteme."""
    await acknowledge(updates.press(update))
    if context.captures[0] == "keep":
        await replace(update, Page(notices.nothing_deleted()))
        return
    counts = await asyncio.to_thread(context.store.forget, updates.user_id(update))
    await replace(update, Page(messages.deleted(counts)))


async def expired(update: Update, _context: BotContext) -> None:
    """A button that no handler knows, such as one of an earlier version of the bot."""
    await acknowledge(updates.press(update), messages.expired(), is_alert=True)
