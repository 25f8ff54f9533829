"""The author of a challenge is told when it resolves."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.alerts.telling import WORTH_S
from bot.store import Alert, Authored, Store
from service.client import NotFound

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "my_challenge"
OVER = ("resolved", "void")
MOST = 20  # looked at in one pass; the service grants 120 calls a minute


async def look_at_challenges(service: Service, store: Store, now: datetime) -> None:
    """Look at those that nobody was told of and that are not among the open ones any more."""
    waiting = await asyncio.to_thread(store.open_challenges)
    if not waiting:
        return
    listed = await service.challenges()
    still_open = {told["number"] for told in listed["challenges"]}
    for one in [each for each in waiting if each.number not in still_open][:MOST]:
        told = await _found(service, one.number)
        await asyncio.to_thread(_note, store, one, told, now)


async def _found(service: Service, number: int) -> dict[str, Any] | None:
    """The challenge; None when the service itself says that there is none."""
    try:
        return await service.challenge(number)
    except NotFound as error:
        if error.code == "not_found":
            return None
        raise


def _note(store: Store, one: Authored, told: dict[str, Any] | None, now: datetime) -> None:
    if told is None:
        store.mark_told(one.number)
        return
    if told["status"] not in OVER:
        store.mark_looked_at(one.number)
        return
    store.queue(_alerts(store, one, told, now))
    store.mark_told(one.number)


def _alerts(store: Store, one: Authored, told: dict[str, Any], now: datetime) -> list[Alert]:
    state = store.switches(one.user_id)[EVENT]
    if state == "off":
        return []
    # The instant is part of the key: a service that begins anew counts from 1 again.
    key = f"{one.number} {told['created_at']}"
    until = now.timestamp() + WORTH_S[EVENT]
    return [Alert(one.user_id, EVENT, key, one.chat_id, state == "silent", messages.resolved(told), until)]
