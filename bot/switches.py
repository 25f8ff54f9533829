"""Handlers of /alerts: the switch of each event, and the hour and time zone of the digest."""

from __future__ import annotations

import asyncio

from telegram import Update

from bot import updates
from bot.context import BotContext
from bot.keyboards import Page
from bot.languages import language, speak
from bot.messages import notices
from bot.personal_keyboards import QUIET_HOURS, ZONES
from bot.store import Hours, is_timezone
from bot.views import VIEWS


async def alerts(update: Update, context: BotContext) -> Page:
    """/alerts, alone or with the name of a time zone."""
    text = "_".join(context.argument.split())
    zone = next((name for name in ZONES if name.lower() == text.lower()), text)
    if zone and not is_timezone(zone):
        return Page(notices.unknown_zone(text))
    if zone:
        await _choose_zone(update, context, zone)
    return await VIEWS["alerts"](context.view_request(update))


async def stop(update: Update, context: BotContext) -> Page:
    """/stop: no alerts any more, nor those of the queue."""
    user, chat = updates.user_id(update), updates.chat(update).id
    await asyncio.to_thread(context.store.stop_alerts, user, chat)
    return Page(notices.stopped())


async def set_state(update: Update, context: BotContext) -> Page:
    """The button of an event: it sets the next state of on, silent and off."""
    state, event = context.captures
    user, chat = updates.user_id(update), updates.chat(update).id
    await asyncio.to_thread(context.store.set_switch, user, chat, event, state)
    return await VIEWS["alerts"](context.view_request(update))


async def set_hour(update: Update, context: BotContext) -> Page:
    """An hour of the day; it also switches the digest on."""
    user, chat = updates.user_id(update), updates.chat(update).id
    zone = await asyncio.to_thread(context.store.zone, user)
    await asyncio.to_thread(context.store.set_digest, user, chat, int(context.captures[0]), zone)
    return await VIEWS["alerts"](context.view_request(update))


async def set_zone(update: Update, context: BotContext) -> Page:
    """One of the listed time zones."""
    await _choose_zone(update, context, ZONES[int(context.captures[0])])
    return await VIEWS["alerts"](context.view_request(update))


async def set_quiet_hours(update: Update, context: BotContext) -> Page:
    """One of the choices of quiet hours, in the time zone of the person."""
    user, chosen = updates.user_id(update), QUIET_HOURS[int(context.captures[0])]
    timezone = await asyncio.to_thread(context.store.zone, user)
    await asyncio.to_thread(context.store.set_quiet_hours, user, Hours(*chosen, timezone) if chosen else None)
    return await VIEWS["alerts"](context.view_request(update))


async def set_theme(update: Update, context: BotContext) -> Page:
    """Light or dark charts, in the message of /settings."""
    user, chat = updates.user_id(update), updates.chat(update).id
    await asyncio.to_thread(context.store.set_chart_theme, user, chat, context.captures[0])
    return await VIEWS["settings"](context.view_request(update))


async def _choose_zone(update: Update, context: BotContext, zone: str) -> None:
    """Show all dates in a time zone, also those of this reply."""
    await asyncio.to_thread(context.store.set_zone, updates.user_id(update), zone)
    speak(language(), zone)
