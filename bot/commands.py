"""Handlers of commands that answer at once, with a view or a fixed text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine

from telegram import ChatMember, InlineKeyboardMarkup, Update
from telegram.ext import ApplicationHandlerStop
from telegram.helpers import create_deep_linked_url

from bot import keyboards, messages, photos, updates
from bot.context import BotContext, Expired
from bot.delivery import acknowledge, replace, reply
from bot.keyboards import Page, Popup
from bot.languages import translate
from bot.messages import notices
from bot.messages.own_page import BAD_NAME, HOW_TO_NAME

NAME = re.compile("[a-z0-9][a-z0-9_-]{1,30}[a-z0-9]")  # of a forecaster

Handler = Callable[[Update, BotContext], Awaitable[Page | Popup | None]]
Callback = Callable[[Update, BotContext], Coroutine[None, None, None]]


def shown(handler: Handler) -> Callback:
    """A callback of the library that shows what a handler returns; None: the handler has shown everything itself.

    A page is sent below a command and replaces the message whose button was pressed.
    """

    async def callback(update: Update, context: BotContext) -> None:
        try:
            outcome = await handler(update, context)
        except Expired:
            outcome = Popup(translate(notices.EXPIRY))
        if outcome is None:
            return
        popup = outcome if isinstance(outcome, Popup) else Popup("", outcome)
        if update.callback_query:
            await acknowledge(update.callback_query, popup.text or None, is_alert=popup.is_alert)
            if popup.page:
                await replace(context.bot, update, popup.page)
        elif popup.page:
            await reply(context.bot, update, popup.page)
            await photos.follow(update, context, popup.page)

    return callback


def view_command(view: str) -> Handler:
    """A command that shows a view; the words after it are the view's argument."""
    return lambda update, context: context.view(update, view, context.argument)


def fixed_reply(
    *texts: str, keyboard: Callable[[], InlineKeyboardMarkup] | None = None
) -> Callable[..., Awaitable[Page]]:
    """A handler that always returns the same lines with the same buttons."""

    async def page(*_inputs: object) -> Page:
        return Page("\n".join(text and translate(text) for text in texts), keyboard and keyboard())

    return page


async def name_forecaster(update: Update, context: BotContext) -> Page:
    """/name NAME lists the person's forecasts under it, /name off no longer."""
    name = context.argument.lower()
    if not NAME.fullmatch(name):
        return Page(f"{translate(BAD_NAME)} {translate(HOW_TO_NAME)}")
    usage = await context.person(update).name_forecaster(None if name == "off" else name)
    return Page(
        messages.own_page.named(usage["forecaster"]),
        keyboards.reload("forecasters", "", keyboards.show("My page", "me")),
    )


async def private_command_in_group(_update: Update, context: BotContext) -> Page:
    """A command of the private chat, sent in a group."""
    address = create_deep_linked_url(context.bot.username)
    return Page(notices.private_only(), keyboards.rows(keyboards.link("Open our chat", address)))


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
        await acknowledge(update.callback_query, translate(notices.TOO_FAST))
    elif excess == 1:
        await reply(context.bot, update, Page(translate(notices.TOO_FAST)))
    raise ApplicationHandlerStop


async def membership_changed(update: Update, context: BotContext) -> None:
    """The bot was blocked or removed: all alerts of that chat are switched off."""
    change = update.my_chat_member
    if change and change.new_chat_member.status in (ChatMember.BANNED, ChatMember.LEFT):
        await asyncio.to_thread(context.store.switch_off, change.chat.id)
