"""Alert: a challenge is resolved; its author gets the outcome."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.alerts.subscriptions import alert
from bot.store import Alert, AuthoredChallenge, Store, Subscriber
from service.client import NotFound

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "my_challenge"
RESOLVED = ("resolved", "void")
MAX_PER_PASS = 20  # the service allows 120 calls a minute


async def check_challenges(service: Service, store: Store, now: datetime) -> None:
    """Check the challenges whose author was not notified yet and that are no longer listed as open."""
    pending = await asyncio.to_thread(store.open_challenges)
    if not pending:
        return
    document = await service.challenges()
    still_open = {challenge["number"] for challenge in document["challenges"]}
    for authored in [authored for authored in pending if authored.number not in still_open][:MAX_PER_PASS]:
        challenge = await _challenge(service, authored.number)
        await asyncio.to_thread(_record, store, authored, challenge, now)


async def _challenge(service: Service, number: int) -> dict[str, Any] | None:
    """The challenge; None if the service itself answers that it does not exist."""
    try:
        return await service.challenge(number)
    except NotFound as error:
        if error.code == "not_found":
            return None
        raise


def _record(store: Store, authored: AuthoredChallenge, challenge: dict[str, Any] | None, now: datetime) -> None:
    if challenge is None:
        store.mark_notified(authored.number)
        return
    if challenge["status"] not in RESOLVED:
        store.mark_checked(authored.number)
        return
    store.queue(_alerts(store, authored, challenge, now))
    store.mark_notified(authored.number)


def _alerts(store: Store, authored: AuthoredChallenge, challenge: dict[str, Any], now: datetime) -> list[Alert]:
    state = store.switches(authored.user_id)[EVENT]
    if state == "off":
        return []
    # The key holds the time of creation, because a service with a new database counts from 1 again.
    key = f"{authored.number} {challenge['created_at']}"
    author = Subscriber(authored.user_id, authored.chat_id, state == "silent", now.timestamp())
    return [alert(author, EVENT, key, messages.resolved(challenge), now)]
