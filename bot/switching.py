"""What a person hears unasked: the switches, the hour of the digest and its time zone."""

from __future__ import annotations

import asyncio
from typing import Any

from telegram import Update

from bot.context import Context
from bot.keyboards import ZONES, Page
from bot.messages import notices
from bot.sending import acknowledge, replace, reply
from bot.store import is_timezone
from bot.views import VIEWS

USUAL = {"hour": 8, "timezone": "UTC"}


async def alerts(update: Update, context: Context) -> None:
    """/alerts, or with the name of a time zone for the digest."""
    typed = "_".join(context.args)
    zone = next((name for name in ZONES if name.lower() == typed.lower()), typed)
    if zone and not is_timezone(zone):
        await reply(update, Page(notices.unknown_zone(typed)))
        return
    if zone:
        await _set_digest(update, context, timezone=zone)
    await reply(update, await VIEWS["alerts"](context.request(update)))


async def switch(update: Update, context: Context) -> None:
    """[on], [silent] and [off] of an event."""
    user, chat = update.effective_user.id, update.effective_chat.id
    await asyncio.to_thread(context.store.set_switch, user, chat, context.match[2], context.match[1])
    await _show(update, context)


async def set_hour(update: Update, context: Context) -> None:
    """An hour of the day; it switches the digest on."""
    await _set_digest(update, context, hour=int(context.match[1]))
    await _show(update, context)


async def set_zone(update: Update, context: Context) -> None:
    """One of the commonest time zones; it switches the digest on."""
    await _set_digest(update, context, timezone=ZONES[int(context.match[1])])
    await _show(update, context)


async def _set_digest(update: Update, context: Context, **changed: Any) -> None:
    user, chat = update.effective_user.id, update.effective_chat.id
    before = await asyncio.to_thread(context.store.digest, user) or USUAL
    await asyncio.to_thread(context.store.set_digest, user, chat, **{**before, **changed})


async def _show(update: Update, context: Context) -> None:
    await acknowledge(update.callback_query)
    await replace(update, await VIEWS["alerts"](context.request(update)))
