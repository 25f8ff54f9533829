"""Handlers of the settings of a group, which only its admins see and change."""

from __future__ import annotations

import asyncio

from telegram import Update
from telegram.constants import ChatMemberStatus, ChatType

from bot import updates
from bot.context import BotContext
from bot.keyboards import Page, Popup
from bot.messages import notices
from bot.views import VIEWS

ADMINS = (ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)


async def is_admin(update: Update) -> bool:
    """Whether the sender may change the settings of the chat; an anonymous admin sends as the group itself."""
    chat = updates.chat(update)
    if chat.type == ChatType.PRIVATE:
        return True
    sender = update.message.sender_chat if update.message else None
    if sender is not None:
        return sender.id == chat.id
    return (await chat.get_member(updates.user_id(update))).status in ADMINS


async def settings(update: Update, context: BotContext) -> Page:
    """/settings in a group."""
    is_allowed = await is_admin(update)
    return await VIEWS["settings"](context.view_request(update)) if is_allowed else Page(notices.admins_only())


async def set_switch(update: Update, context: BotContext) -> Page | Popup:
    """A switch of the settings."""
    state, name = context.captures
    if not await is_admin(update):
        return Popup(notices.admins_only())
    chat = updates.chat(update).id
    await asyncio.to_thread(context.store.set_group_setting, chat, name, is_on=state == "on")
    return await VIEWS["settings"](context.view_request(update))


async def moved(update: Update, context: BotContext) -> None:
    """The group became a supergroup, which has another number."""
    new_id = updates.message(update).migrate_to_chat_id
    if new_id is not None:
        await asyncio.to_thread(context.store.move_group, updates.chat(update).id, new_id)
