"""Handlers of commands that answer at once, with a view or a fixed text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine

from telegram import ChatMember, InlineKeyboardMarkup, Update
from telegram.ext import ApplicationHandlerStop
from telegram.helpers import create_deep_linked_url

from bot import keyboards, messages, personal_keyboards, photos, updates
from bot.context import BotContext
from bot.keyboards import Page
from bot.messages import notices
from bot.replies import acknowledge, reply
from bot.views import VIEWS

NAME = re.compile("[a-z0-9][a-z0-9_-]{1,30}[a-z0-9]")  # of a forecaster
OFF = "off"

Handler = Callable[[Update, BotContext], Coroutine[None, None, None]]


def view_command(view: str) -> Handler:
    """A command that shows a view; the words after it are the view's argument."""

    async def handle(update: Update, context: BotContext) -> None:
        page = await VIEWS[view](context.view_request(update, context.argument))
        await reply(update, page)
        await photos.follow(update, context, page)

    return handle


def fixed_reply(text: Callable[[], str], keyboard: Callable[[], InlineKeyboardMarkup] | None = None) -> Handler:
    """A handler that always sends the same text with the same buttons."""

    async def handle(update: Update, _context: BotContext) -> None:
        await reply(update, Page(text(), keyboard and keyboard()))

    return handle


async def name_forecaster(update: Update, context: BotContext) -> None:
    """/name NAME lists the person's forecasts under it, /name off no longer."""
    name = context.argument.lower()
    if not NAME.fullmatch(name):
        await reply(update, Page(messages.own_page.bad_name()))
        return
    usage = await context.service.for_user(updates.user_id(update)).name_forecaster(None if name == OFF else name)
    await reply(update, Page(messages.own_page.named(usage["forecaster"]), personal_keyboards.forecasters()))


async def delete_me(update: Update, _context: BotContext) -> None:
    """/deleteme: asks for confirmation."""
    await reply(update, Page(messages.notices.confirm_deletion(), personal_keyboards.delete_or_keep()))


async def private_command_in_group(update: Update, context: BotContext) -> None:
    """A command of the private chat, sent in a group."""
    address = create_deep_linked_url(context.bot.username)
    await reply(update, Page(notices.private_only(), keyboards.link(address)))


async def throttle(update: Update, context: BotContext) -> None:
    """Stop an update of another bot, and of a person who sends too many; the first of them is answered."""
    user = update.effective_user
    if user is None or not (update.message or update.callback_query):
        return
    if user.is_bot and not (update.message and update.message.sender_chat):
        raise ApplicationHandlerStop  # two bots would answer each other for ever
    excess = context.state.throttle.excess(updates.user_id(update), context.state.now())
    if not excess:
        return
    if update.callback_query:
        await acknowledge(update.callback_query, notices.too_fast())
    elif excess == 1:
        await reply(update, Page(notices.too_fast()))
    raise ApplicationHandlerStop


async def membership_changed(update: Update, context: BotContext) -> None:
    """The bot was blocked or removed: all alerts of that chat are switched off."""
    change = update.my_chat_member
    if change and change.new_chat_member.status in (ChatMember.BANNED, ChatMember.LEFT):
        await asyncio.to_thread(context.store.switch_off, change.chat.id)
