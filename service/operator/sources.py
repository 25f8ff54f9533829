"""Checks of the database, Redis and the market data. A check is one real call; it results in a finding.

No text of a source enters a finding, since it may hold a key: errors are described by the name of their class.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import closing, suppress
from functools import partial
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from service.config import Settings, SettingsError
from service.errors import NinefoldError, SourceFailed
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR
from service.sources import headlines, pools
from service.sources.feeds import Feed, open_feed
from service.sources.feeds.feed import AssetUnlisted
from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET
from service.sources.sessions import TOO_LATE, in_time
from service.store import migrations
from service.store.database import address_of, revision_at

if TYPE_CHECKING:
    from redis import Redis

    from service.sources.feeds.exchange import ExchangeFeed

Check = Callable[[], "Finding"]
GRACE_S = 0.5  # beyond a check's time limit, so that a source with its own deadline can report the delay itself
# Patterns in the class names of errors of redis, SQLAlchemy, requests and ccxt; the first match counts.
FAULTS = (
    (r"Timeout", TOO_LATE),
    (r"Proxy", "no connection through the proxy; check SOURCE_PROXY or HTTPS_PROXY"),
    (r"Authentication|Permission|AccessDenied", "access refused; check the name and the password"),
    (r"OperationalError", "it does not answer; check that it is running, its address and its password"),
    (r"SQLAlchemyError", "it cannot be read; check that it is a database of this service"),
    (r"Connection|Network|OSError|Schema|URL", "it could not be reached; check the network and its address"),
    (r"HTTPError|RateLimit|DDoS|Maintenance|NotAvailable", "it failed or refused the request; try again later"),
    (r"^\w+$", "the answer cannot be read"),
)

RECENT_S = 3 * HOUR
SHORTER_DAYS = (180, 90, 30)  # that are tried where no source has all of the history

Options = Mapping[str, Mapping[str, object]] | None
UP_TO_DATE = "at the newest migration"
WORLDS = {"simulated": "simulated market", "replay": "replay of REPLAY_DIR"}
VOLATILITY = dict.fromkeys(ASSETS, 0.6)  # it only bounds the assumed concentration of a pool


class Finding(NamedTuple):
    """The result of a check; the fields are those of the JSON output.

    `tokens` and `usd` are the cost: None where it is unknown, an upper bound after a failure.
    """

    part: str = ""
    what: str = ""
    works: bool = True
    ms: float = 0.0
    tokens: int | None = 0
    usd: float | None = 0.0
    detail: str = ""


def run(part: str, subject: str, seconds: float, call: Check) -> Finding:
    """The finding of a call to one part of the service; its thread is abandoned after `seconds`."""
    began = time.monotonic()
    try:
        finding = in_time(seconds + GRACE_S, call)
    except Exception as error:  # any error is a finding about this part alone
        finding = Finding(works=False, detail=_describe(error))
    return finding._replace(part=part, what=subject, ms=round(1000 * (time.monotonic() - began), 1))


def _describe(error: Exception) -> str:
    """A sentence in which the name of an error class, alone or after a colon, is replaced by its description."""
    names = "/".join(kind.__name__ for kind in type(error).__mro__[:-2])
    detail = error.detail.rstrip(".") if isinstance(error, NinefoldError) else f"it failed with {names}"
    subject, colon, cause = detail.rpartition(": ")
    phrase = subject + colon + next((meaning for pattern, meaning in FAULTS if re.search(pattern, cause)), cause)
    return f"{phrase[0].upper()}{phrase[1:]}."


def store_checks(settings: Settings) -> Iterator[Check]:
    """The database, then Redis where it is set; SettingsError where an address is not valid."""
    address, seconds = address_of(settings.database), settings.source_timeout_s
    server = f"{address.get_backend_name()} {address.host or address.database}"
    yield partial(run, "database", server, seconds, partial(_migration, settings.database))
    if url := settings.redis_url.get_secret_value():
        from redis import Redis

        try:
            client = Redis.from_url(url, retry=None)
        except ValueError:
            raise SettingsError("REDIS_URL: not a valid address") from None
        yield partial(run, "redis", f"{url.partition(':')[0]} {_host(url)}", seconds, partial(_ping, client))


def source_checks(settings: Settings, now: int, exchanges: Options) -> Iterator[Check]:
    """The sources of the settings' world at the unix second `now`; SettingsError where it cannot be opened."""
    seconds = settings.source_timeout_s
    if settings.world != "live":
        feed = open_feed(settings, now)
        yield partial(run, "prices", WORLDS[settings.world], seconds, partial(_bars, feed, feed.assets, now))
        return
    from service.sources.feeds.exchange import ExchangeFeed, open_exchanges  # ccxt takes seconds to import

    feed, one_at_a_time = open_exchanges(settings, now, exchanges), Lock()
    limit = seconds * (len(feed.clients) + len(ASSETS))  # each waits for its turn
    for client in feed.clients[: len(settings.exchanges)]:  # without BARS_DIR
        exchange = ExchangeFeed((client,), now, seconds)
        check = partial(_prices, exchange, "btc", now, settings.history_days, one_at_a_time)
        yield partial(run, f"exchange {client.name}", "Bitcoin", limit, check)
    for asset in feed.assets:
        check = partial(_prices, feed, asset, now, settings.history_days, one_at_a_time)
        yield partial(run, f"prices {asset}", ASSETS[asset].name, limit, check)
    lists = {
        "pools": (settings.pools_url, "usable pools", lambda *call: pools.parse(pools.fetch(*call), VOLATILITY)[0]),
        "polymarket": (settings.polymarket_url, "open markets", lambda *call: [*chain(*POLYMARKET.list_open(*call))]),
        "kalshi": (settings.kalshi_url, "open markets", lambda *call: [*chain(*KALSHI.list_open(*call))]),
    }
    for place, url in enumerate(settings.news_feeds, 1):
        lists[f"news {place}"] = (url, "headlines", partial(_headlines, now))
    for part, (url, noun, request) in lists.items():
        yield partial(run, part, _host(url), seconds, partial(_count, noun, partial(request, url, seconds)))


def _migration(url: str) -> Finding:
    current, head = revision_at(url), migrations.head()
    if current and current != head:
        advice = "update the service" if current > head else "the next start migrates it"
        raise SourceFailed(f"It is at migration {current}, this version at {head}: {advice}.")
    return Finding(detail=UP_TO_DATE if current else "empty: the first start creates its tables")


def _ping(client: Redis) -> Finding:
    with closing(client):
        client.ping()
    return Finding(detail="answers")


def _bars(feed: Feed, assets: Sequence[str], now: int) -> Finding:
    """The bars of the last day of a world that asks no exchange."""
    instant = feed.clock(now).at(now)
    counts = {asset: len(feed.fetch(asset, instant - DAY, instant).bars) for asset in assets}
    if not any(counts.values()):
        raise SourceFailed("It has no bars of the last day.")
    summary = ", ".join(f"{asset} {count}" for asset, count in counts.items())
    return Finding(detail=f"bars of {feed.step} s in a day: {summary}")


def _prices(feed: ExchangeFeed, asset: str, now: int, wanted_days: int, turn: Lock) -> Finding:
    """What the sources of an asset promise: its last price, and how many days of hourly bars can be had."""
    with turn:
        try:
            recent = feed.fetch(asset, now - RECENT_S, now)
            depths = {days: now - days * DAY for days in (wanted_days, *SHORTER_DAYS) if days <= wanted_days}
            candidates = (days for days, at in depths.items() if len(feed.fetch(asset, at, at + 2 * DAY, HOUR).bars))
            days = 0
            with suppress(SourceFailed):
                days = next(candidates, 0)
        except AssetUnlisted:
            return Finding(detail="no source has it, so it is listed nowhere; BARS_DIR can add it")
        except SourceFailed as error:
            raise SourceFailed(_reason(error)) from None
    if not len(recent.bars):
        raise SourceFailed(f"No trade in three hours at {recent.source}")
    history = f"at least {days} days of hourly bars" if days else f"less than {SHORTER_DAYS[-1]} days of hourly bars"
    return Finding(detail=f"{recent.source}: {recent.bars.close[-1]:,.10g} USD, {history}")


def _reason(error: SourceFailed) -> str:
    """The reason of a failed fetch; of an exchange's own error only the name of its class."""
    reasons = error.detail.partition(": ")[2].split("; ")
    return "; ".join(re.sub(r"(\w+Error|\w+Exception): .*", r"\1", reason) for reason in reasons)


def _headlines(now: int, url: str, seconds: float) -> Sized:
    return headlines.fetch(url, headlines.FeedState(), seconds, now).headlines


def _count(noun: str, request: Callable[[], Sized]) -> Finding:
    if not (rows := len(request())):
        raise SourceFailed(f"No {noun}.")
    return Finding(detail=f"{noun}: {rows}")


def _host(url: str) -> str:
    """The host of an address; the rest may hold a key."""
    with suppress(ValueError):
        return urlsplit(url).hostname or "no host"
    return "no host"
