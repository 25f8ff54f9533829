"""Handlers of commands that answer at once, with a view or a fixed text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from telegram import ChatMember, Update
from telegram.helpers import create_deep_linked_url

from bot import keyboards, messages
from bot.context import BotContext
from bot.keyboards import Page
from bot.messages import notices
from bot.replies import reply
from bot.views import VIEWS

Handler = Callable[[Update, BotContext], Coroutine[None, None, None]]


def view_command(view: str) -> Handler:
    """A command that shows a view; the words after it are the view's argument."""

    async def handle(update: Update, context: BotContext) -> None:
        await reply(update, await VIEWS[view](context.view_request(update, context.argument)))

    return handle


def fixed_reply(text: Callable[[], str]) -> Handler:
    """A handler that always sends the same text."""

    async def handle(update: Update, _context: BotContext) -> None:
        await reply(update, Page(text()))

    return handle


async def open_link(update: Update, context: BotContext) -> None:
    """/start challenge_17: a link to a challenge."""
    await reply(update, await VIEWS["challenge"](context.view_request(update, context.captures[0])))


async def delete_me(update: Update, _context: BotContext) -> None:
    """/deleteme: asks for confirmation."""
    await reply(update, Page(messages.confirm_deletion(), keyboards.delete_or_keep()))


async def challenge_in_group(update: Update, context: BotContext) -> None:
    """/challenge in a group: a link to the private chat, where challenges are written."""
    address = create_deep_linked_url(context.bot.username, "new")
    await reply(update, Page(messages.challenge_in_private(), keyboards.link(address)))


async def private_command_in_group(update: Update, context: BotContext) -> None:
    """A command of the private chat, sent in a group."""
    address = create_deep_linked_url(context.bot.username)
    await reply(update, Page(notices.private_only(), keyboards.link(address)))


async def membership_changed(update: Update, context: BotContext) -> None:
    """The bot was blocked or removed: all alerts of that chat are switched off."""
    change = update.my_chat_member
    if change and change.new_chat_member.status in (ChatMember.BANNED, ChatMember.LEFT):
        await asyncio.to_thread(context.store.switch_off, change.chat.id)
