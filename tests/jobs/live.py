"""A live world on this machine: simulated prices passed off as live, and what else it asks, as servers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

from service.jobs import imported, news, score
from service.market.instants import HOUR, WorldClock
from service.sources.feeds import simulated
from service.sources.feeds.simulated import SimulatedFeed
from tests.jobs.contexts import work
from tests.jobs.track_record import SLOT
from tests.running_service import START, RunningService
from tests.sources import faults, feed_texts
from tests.sources.conftest import ExchangeServer, serve
from tests.sources.feed_texts import item

SEED = 42
TIMEOUT_S = 0.5
DAYS = 120
SPOT = float(simulated.bars(SEED, "btc", START - HOUR, START).close[-1])
HEADLINES = (("Bitcoin rises as funds buy", SLOT - HOUR), ("Ether falls after a hack", SLOT - 2 * HOUR))


class LiveFeed(SimulatedFeed):
    """The simulated market under the name of the live one."""

    world = "live"

    def clock(self, wall: int) -> WorldClock:
        return WorldClock("live", world_origin=wall, wall_origin=wall)


def level(share: float) -> str:
    return f"{round(SPOT * share, -3):,.0f}"


def gamma_row(market_id: str = "1500056", share: float = 1.02, day: int = 25, p: str = "0.41") -> dict[str, Any]:
    """An open market in Polymarket's words."""
    return {
        "id": market_id,
        "question": f"Will the price of Bitcoin be above ${level(share)} on November {day}?",
        "groupItemTitle": level(share),
        "slug": "bitcoin-above-on-november",
        "description": 'Resolves to "Yes" if the 12:00 ET candle has a final "Close" price above the level.',
        "outcomes": '["Yes", "No"]',
        "outcomePrices": json.dumps([p, str(round(1 - float(p), 4))]),
        "bestBid": round(float(p) - 0.01, 4),
        "bestAsk": round(float(p) + 0.01, 4),
        "volumeNum": 250_000.0,
        "endDate": f"2026-11-{day}T17:00:00Z",
        "active": True,
        "closed": False,
        "acceptingOrders": True,
    }


def gamma_over(at: str, row: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """The same market, or another one, once it was resolved to its first outcome."""
    resolution = {"closed": True, "umaResolutionStatus": "resolved", "outcomePrices": '["1", "0"]', "closedTime": at}
    return (row or gamma_row()) | resolution | fields


def kalshi_row(**fields: str) -> dict[str, Any]:
    """An open market in Kalshi's words."""
    return {
        "ticker": "KXBTC-26NOV27-B1",
        "event_ticker": "KXBTC-26NOV27",
        "market_type": "binary",
        "title": f"Will Bitcoin exceed ${level(1.06)} by November 27?",
        "yes_sub_title": "Yes",
        "status": "active",
        "close_time": "2026-11-27T23:59:59Z",
        "yes_bid_dollars": "0.2200",
        "yes_ask_dollars": "0.2500",
        "volume_fp": "125000.00",
        "notional_value_dollars": "1.0000",
        "rules_primary": "Resolves Yes if the price exceeds the level at market close.",
        **fields,
    }


def printing(*headlines: tuple[str, int]) -> Callable:
    """A paper with these headlines."""
    items = (item(title, f"https://paper.example/{at}", date=formatdate(at)) for title, at in headlines)
    return answering(feed_texts.rss(*items), kind="application/rss+xml")


def answering(body: bytes, status: int = 200, kind: str = "application/json", **headers: str) -> Callable:
    """A server that gives this answer to everything."""
    return faults.body(body, status, Content_Type=kind, **headers)


@dataclass
class Outside:
    """What the live world asks: two markets that list `offers` and `over`, and a paper."""

    offers: dict[str, list] = field(default_factory=dict)
    over: dict[str, list] = field(default_factory=dict)
    servers: dict[str, ExchangeServer] = field(default_factory=dict)

    def reset(self) -> None:
        self.offers = {"polymarket": [gamma_row()], "kalshi": [kalshi_row()]}
        self.over = {"polymarket": [], "kalshi": []}
        for server in self.servers.values():
            server.fault = None
        self.servers["paper"].fault = printing(*HEADLINES)

    def list(self, name: str, query: dict) -> dict:
        is_over = query.get("closed") == "true" or "tickers" in query
        rows, series = (self.over if is_over else self.offers)[name], query.get("series_ticker")
        return {"markets": [row for row in rows if not series or row["event_ticker"].startswith(f"{series}-")]}

    @property
    def options(self) -> dict[str, Any]:
        address = {name: server.address for name, server in self.servers.items()}
        return {
            "world": "live",
            "polymarket_url": address["polymarket"],
            "kalshi_url": address["kalshi"],
            "news_feeds": (f"{address['paper']}/rss",),
            "pools_url": f"{address['pools']}/pools",
            "source_timeout_s": TIMEOUT_S,
        }


@contextmanager
def serving_outside(*pools: dict[str, Any], **routes: Callable) -> Iterator[Outside]:
    """What the live world asks, as servers on this machine, and further ones with these `routes`."""
    outside = Outside()
    routes |= {
        "polymarket": lambda _server, _path, query: outside.list("polymarket", query),
        "kalshi": lambda _server, _path, query: outside.list("kalshi", query),
        "paper": lambda *_: None,
        "pools": lambda *_: {"status": "success", "data": list(pools)},
    }
    with ExitStack() as stack:
        for name, route in routes.items():
            outside.servers[name] = stack.enter_context(contextmanager(serve)(ExchangeServer(route)))
        outside.reset()
        yield outside


def do(service: RunningService, job: Callable, slot: int) -> None:
    """Work one slot of one job."""
    work(service.engine.job_context, job, slot)


def an_hour_later(service: RunningService, hours: int = 1) -> None:
    """What asks the outside world, so many hours after the first start, and the list of markets a minute later."""
    slot = SLOT + hours * HOUR
    for job in (imported.import_markets, imported.settle_imported, news.read_news):
        do(service, job, slot)
    do(service, score.list_markets, slot + 60)
