"""Alert: a lane harvests its fees or switches its pool."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.alerts.subscriptions import DAY, alerts, seconds, subscribers_before
from bot.store import Alert, Store

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "lane"
KINDS = ("harvest", "switch")
MAX_GAP_S = DAY  # older events are not reported, even if the service was down for longer


async def check_lanes(service: Service, store: Store, now: datetime) -> None:
    """Read the lanes' events since the last bar that was seen; the first bar ever seen is only stored."""
    battle = await service.battle()
    state = await asyncio.to_thread(store.state, _name(battle))
    events = []
    if state is not None and battle["as_of"] > state["as_of"]:
        history = await service.battle_history(since=_since(state["as_of"], battle["as_of"]))
        events = _events_after(history, state["as_of"])
    await asyncio.to_thread(_record, store, battle, state, events, now)


def _name(battle: dict[str, Any]) -> str:
    return f"{EVENT} {battle['world']}"


def _since(last_bar: str, as_of: str) -> str:
    """The start of the history to read, in the API's format."""
    since = max(seconds(last_bar), seconds(as_of) - MAX_GAP_S)
    return datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _events_after(history: dict[str, Any], instant: str) -> list[dict[str, Any]]:
    """Every harvest and switch after `instant`, oldest first, joined with its lane."""
    events = [
        event | {"lane": lane["name"], "label": lane["label"], "venue": lane["venue"], "world": history["world"]}
        for lane in history["lanes"]
        for event in lane["events"]
        if event["kind"] in KINDS and event["time"] > instant
    ]
    return sorted(events, key=lambda event: event["time"])


def _record(
    store: Store, battle: dict[str, Any], state: dict[str, Any] | None, events: list[dict[str, Any]], now: datetime
) -> None:
    before = state or {"as_of": "", "looked_at": now.timestamp()}
    new = [alert for event in events for alert in _alerts(store, event, before["looked_at"], now)]
    # The time never goes back, so that an older snapshot of the service does not repeat events.
    after = {"as_of": max(before["as_of"], battle["as_of"]), "looked_at": now.timestamp()}
    store.record(_name(battle), after, new)


def _alerts(store: Store, event: dict[str, Any], looked_at: float, now: datetime) -> list[Alert]:
    subscribers = subscribers_before(store, EVENT, event["time"], event["world"], looked_at)
    key = " ".join((event["world"], event["lane"], event["kind"], event["time"], event["subject"]))
    return alerts(store, subscribers, EVENT, key, lambda: messages.lane_event(event), now)
