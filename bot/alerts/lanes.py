"""A lane harvests its fees or switches its pool."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.alerts.telling import DAY, alerts, seconds, subscribed
from bot.store import Alert, Store

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "lane"
KINDS = ("harvest", "switch")
LONGEST_S = DAY  # what a lane did before that is no news, however long the service was away


async def look_at_lanes(service: Service, store: Store, now: datetime) -> None:
    """Ask what the lanes did since the last bar that was seen; the first bar of all is only noted."""
    battle = await service.battle()
    before = await asyncio.to_thread(store.state, _name(battle))
    if before is None or battle["as_of"] <= before["as_of"]:
        done = []
    else:
        history = await service.battle_history(since=_begin(before["as_of"], battle["as_of"]))
        done = _events(history, before["as_of"])
    await asyncio.to_thread(_note, store, battle, before, done, now)


def _name(battle: dict[str, Any]) -> str:
    return f"{EVENT} {battle['world']}"


def _begin(seen: str, as_of: str) -> str:
    """The instant from which to ask."""
    begin = max(seconds(seen), seconds(as_of) - LONGEST_S)
    return datetime.fromtimestamp(begin, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _events(history: dict[str, Any], seen: str) -> list[dict[str, Any]]:
    """Each harvest and switch after the instant `seen`, oldest first, with the lane that did it."""
    found = [
        event | {"lane": lane["name"], "label": lane["label"], "venue": lane["venue"], "world": history["world"]}
        for lane in history["lanes"]
        for event in lane["events"]
        if event["kind"] in KINDS and event["time"] > seen
    ]
    return sorted(found, key=lambda event: event["time"])


def _note(
    store: Store, battle: dict[str, Any], before: dict[str, Any] | None, done: list[dict[str, Any]], now: datetime
) -> None:
    seen = before or {"as_of": "", "looked_at": now.timestamp()}
    told = [alert for event in done for alert in _alerts(store, event, seen["looked_at"], now)]
    # A service that answers from an older snapshot does not bring back what was told.
    after = {"as_of": max(seen["as_of"], battle["as_of"]), "looked_at": now.timestamp()}
    store.note(_name(battle), after, told)


def _alerts(store: Store, event: dict[str, Any], looked_at: float, now: datetime) -> list[Alert]:
    told = subscribed(store, EVENT, event["time"], event["world"], looked_at)
    key = " ".join((event["world"], event["lane"], event["kind"], event["time"], event["subject"]))
    return alerts(told, EVENT, key, messages.lane_event(event), now)
