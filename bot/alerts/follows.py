"""Alerts about what people follow: it resolves, a level is reached, or the voters' pool changes sides.

Each check reads documents that many follows share, and turns a document and a follow into a happening or None. A
happening is recorded in one transaction with the change of its follow, so that it is reported once.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from bot import messages
from bot.alerts.subscriptions import alert, once_each, seconds
from bot.messages.follows import CHALLENGE
from bot.service import Document, Service
from bot.store import DEFAULTS, Alert, Follow, FollowEvent, Store, Subscriber, Target
from service.client import NotFound

EVENT = "followed"
LOOKS = "prices"  # the state that has the time of the last price that was looked at, by asset, in unix seconds
END_STATUSES = ("resolved", "void")
MAX_PER_PASS = 20  # documents read one by one: the service allows 120 calls a minute
# A pool near 50% goes back and forth; it has a side from two percentage points on.
YES, NO = 0.52, 0.48

Texts = dict[str, Callable[[], str]]  # what many follows share, by its name


class Happening(NamedTuple):
    """What happened to a follow: `key` identifies it, `write` returns the alert's text; without it, no alert."""

    follow: Follow
    key: str = ""
    write: Callable[[], str] | None = None
    value: float | None = None
    is_last: bool = True


async def check_prices(service: Service, store: Store, now: datetime) -> None:
    """Prices that reached a level since the last look: by the price of now, or by the bars in between."""
    of_asset = defaultdict(list)
    for follow in await asyncio.to_thread(store.follows, "price"):
        of_asset[follow.target.subject].append(follow)
    if not of_asset:
        return
    document = await service.prices()
    looks = await asyncio.to_thread(store.state, LOOKS) or {}
    for quote in document["prices"]:
        asset, as_of = quote["asset"], seconds(quote["as_of"])
        follows = of_asset.get(asset)
        if not follows:
            continue
        since = max(looks.get(asset, 0), min(follow.target.due or as_of for follow in follows))
        start = f"{datetime.fromtimestamp(since, UTC):%Y-%m-%dT%H:%M:%SZ}"
        bars = (await service.candles(asset, "5m", start))["bars"] if since < as_of else []
        happenings = _prices(follows, quote, bars, document)
        reached = {happening.follow.number for happening in happenings}
        for follow in follows:
            if follow.number not in reached and follow.until is not None and follow.until < now.timestamp():
                write = partial(messages.follows.price_missed, asset, follow.target.level)
                happenings.append(Happening(follow, f"end {follow.number}", write))
        await asyncio.to_thread(_record, store, happenings, now)
        looks[asset] = as_of
    await asyncio.to_thread(store.record, LOOKS, looks, [])


async def check_markets(service: Service, store: Store, now: datetime) -> None:
    """Markets and challenges that resolved, reached a probability, or whose pool changed sides."""
    follows = await asyncio.to_thread(store.follows, "market", "chance")
    if not follows:
        return
    texts: Texts = {}
    kinds = {follow.target.subject.startswith(CHALLENGE) for follow in follows}
    lists = [await (service.challenges() if kind else service.predictions()) for kind in sorted(kinds)]
    world = lists[0]["world"]
    entries = [entry for document in lists for entry in document.get("markets") or document.get("challenges", ())]
    markets = {entry["id"]: entry | {"world": world} for entry in entries}
    follows_of_lists = [follow for follow in follows if follow.target.subject in markets]
    happenings = [_market(store, texts, follow, markets[follow.target.subject]) for follow in follows_of_lists]
    await asyncio.to_thread(_record, store, happenings, now)
    others = [follow for follow in follows if follow.target.subject not in markets]

    async def read(target: Target) -> Document:
        return await service.market(target.subject) | {"world": world}

    await _check_each(store, others, read, partial(_market, store, texts), now)


async def check_answers(service: Service, store: Store, now: datetime) -> None:
    """Answered questions whose deadline has passed."""
    follows = await asyncio.to_thread(store.follows, "answer")
    if not follows:
        return
    world_now = seconds((await service.prices())["timestamp"])  # in a replay, the clock of the service is not ours
    due = [follow for follow in follows if follow.target.due <= world_now]

    async def read(target: Target) -> Document:
        return await service.for_user(target.owner_id or 0).answer(target.subject)

    await _check_each(store, due, read, _answer, now)


async def _check_each(
    store: Store,
    follows: Iterable[Follow],
    read: Callable[[Target], Awaitable[Document]],
    check: Callable[[Follow, Document], Happening | None],
    now: datetime,
) -> None:
    """Read the documents that were checked least recently; a follow of one that does not exist any more ends."""
    of_subject = defaultdict(list)
    for follow in follows:
        of_subject[follow.target.subject].append(follow)
    for group in list(of_subject.values())[:MAX_PER_PASS]:
        await asyncio.to_thread(store.mark_checked, group)
        try:
            document = await read(group[0].target)
        except NotFound as error:
            if error.code != "not_found":  # not an answer of the service itself
                raise
            document = None
        happenings = [check(follow, document) if document else Happening(follow) for follow in group]
        await asyncio.to_thread(_record, store, happenings, now)


def _prices(follows: list[Follow], quote: Document, bars: list[Document], document: Document) -> list[Happening]:
    """The follows of one asset whose level was reached; all those of a chat are one alert."""
    of_chat = defaultdict(list)
    for follow in follows:
        prices = [quote["price"]]
        prices += [bar[end] for bar in bars if seconds(bar["time"]) >= follow.target.due for end in ("high", "low")]
        if any(_is_reached(follow.target, price) for price in prices):
            of_chat[follow.user_id, follow.chat_id].append(follow)
    happenings = []
    for first, *others in of_chat.values():
        targets = sorted(follow.target for follow in (first, *others))
        write = partial(messages.follows.price_reached, document, quote, targets)
        key = f"price {first.number} {quote['as_of']}"
        for follow in (first, *others):
            value, text = quote["price"] if follow.repeats else None, write if follow is first else None
            happenings.append(Happening(follow, key, text, value, not follow.repeats))
    return happenings


def _market(store: Store, texts: Texts, follow: Follow, market: Document) -> Happening | None:
    if market["status"] in END_STATUSES:
        # The same key for all follows of the market: one alert.
        is_author = "number" in market and store.is_author(follow.user_id, market["number"])
        name = f"{is_author} {market['id']}"
        write = texts.setdefault(name, once_each(lambda: messages.predictions.resolved(market, is_author)))
        return Happening(follow, f"{market['id']} {market['created_at']}", write)
    latest = market.get("ai_now")
    if latest is None or market["status"] != "open":
        return None
    p, target = latest["p_yes"], follow.target
    if target.value is None:
        return Happening(follow, value=p, is_last=False)
    if target.kind == "chance":
        write = partial(messages.follows.chance_reached, market, target.level)
        return Happening(follow, f"chance {follow.number}", write) if _is_reached(target, p) else None
    if (target.value < 0.5 and p < YES) or (target.value >= 0.5 and p > NO):
        return None
    write = texts.setdefault(f"sides {market['id']}", once_each(lambda: messages.follows.sides_changed(market)))
    return Happening(follow, f"{follow.number} {latest['as_of']}", write, p, is_last=False)


def _answer(follow: Follow, answer: Document) -> Happening | None:
    if answer["resolution"] is None:
        return None
    return Happening(follow, f"answer {answer['id']}", lambda: messages.follows.answer_resolved(answer))


def _is_reached(target: Target, value: float) -> bool:
    """Whether the value is at the level, or on its other side than at first."""
    if target.value is None:
        return False
    return (target.value - target.level) * (value - target.level) <= 0


def _record(store: Store, happenings: Iterable[Happening | None], now: datetime) -> None:
    events = [event for event in happenings if event is not None]
    states = store.states(EVENT) if events else {}
    store.record_events(
        FollowEvent(event.follow, _alert(store, event, states, now), event.value, event.is_last) for event in events
    )


def _alert(store: Store, event: Happening, states: dict[int, Any], now: datetime) -> Alert | None:
    follow, write = event.follow, event.write
    state = states.get(follow.user_id, DEFAULTS[EVENT])
    if write is None or state == "off":
        return None
    subscriber = Subscriber(follow.user_id, follow.chat_id, state == "silent", now.timestamp())
    return alert(store, subscriber, EVENT, event.key, write, now)
