"""The commands that answer at once: each asks for a page and says it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from telegram import ChatMember, Update
from telegram.helpers import create_deep_linked_url

from bot import keyboards, messages
from bot.context import Context
from bot.keyboards import Page
from bot.messages import notices
from bot.sending import reply
from bot.views import VIEWS

Handler = Callable[[Update, Context], Awaitable[None]]


def look(view: str) -> Handler:
    """A command that shows a view, with what was typed after it."""

    async def show(update: Update, context: Context) -> None:
        await reply(update, await VIEWS[view](context.request(update, " ".join(context.args))))

    return show


def say(text: Callable[[], str]) -> Handler:
    """A command whose answer is always the same."""

    async def tell(update: Update, _context: Context) -> None:
        await reply(update, Page(text()))

    return tell


async def open_link(update: Update, context: Context) -> None:
    """A link to a challenge: /start challenge_17"""
    await reply(update, await VIEWS["challenge"](context.request(update, context.match[1])))


async def delete_me(update: Update, _context: Context) -> None:
    """/deleteme: asked first."""
    await reply(update, Page(messages.delete_asked(), keyboards.forget()))


async def challenge_in_group(update: Update, context: Context) -> None:
    """/challenge in a group: a link to where it is written."""
    address = create_deep_linked_url(context.bot.username, "new")
    await reply(update, Page(messages.group_only_link(), keyboards.link(address)))


async def elsewhere(update: Update, context: Context) -> None:
    """A command of the private chat in a group."""
    address = create_deep_linked_url(context.bot.username)
    await reply(update, Page(notices.private_only(), keyboards.link(address)))


async def left(update: Update, context: Context) -> None:
    """The bot was blocked or thrown out: nothing is sent there any more."""
    if update.my_chat_member.new_chat_member.status in (ChatMember.BANNED, ChatMember.LEFT):
        await asyncio.to_thread(context.store.switch_off, update.effective_chat.id)
