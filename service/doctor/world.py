"""The checks of what the world is made of: prices, and in the live world pools, outside markets and headlines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from service.config import Settings, SettingsError
from service.doctor.checks import Check, Fails, Told
from service.errors import SourceFailed
from service.market.assets import ASSETS
from service.market.bars import check
from service.market.instants import DAY, HOUR
from service.sources import headlines, pools
from service.sources.bounded_session import TOO_LATE
from service.sources.feeds import Feed, open_feed
from service.sources.odds import kalshi, polymarket

if TYPE_CHECKING:
    from service.sources.feeds.exchange_client import ExchangeClient

Options = Mapping[str, Mapping[str, object]]

WORLDS = {"simulated": "simulated market", "replay": "replay of REPLAY_DIR"}
MARKETS = {"polymarket": polymarket, "kalshi": kalshi}
# It only bounds how concentrated a pool is taken to be.
VOLATILITY = dict.fromkeys(ASSETS, 0.6)

NO_ADDRESS = "its address is none"
# How a source fails, by the names that ccxt and requests have for it; their own words may hold whatever it wrote.
FAULTS = {
    "ConnectionError": "it could not be reached",
    "ConnectTimeout": TOO_LATE,
    "ReadTimeout": TOO_LATE,
    "Timeout": TOO_LATE,
    "HTTPError": "it refused the request, or failed",
    "InvalidSchema": NO_ADDRESS,
    "InvalidURL": NO_ADDRESS,
    "MissingSchema": NO_ADDRESS,
    "NetworkError": "it could not be reached",
    "RequestTimeout": TOO_LATE,
    "ExchangeNotAvailable": "it does not answer, or not from this place",
    "OnMaintenance": "it is closed for maintenance",
    "RateLimitExceeded": "it takes no more requests for now",
    "DDoSProtection": "it takes no more requests for now",
    "PermissionDenied": "it refused the request",
    "AuthenticationError": "it refused the request",
}
UNREADABLE = "it answered what cannot be read"


def world_checks(settings: Settings, now: int, exchanges: Options | None = None) -> list[Check]:
    """The checks of the settings' world when the wall shows the unix second `now`.

    `exchanges` maps the name of an exchange to arguments for its ccxt constructor. SettingsError where the world
    cannot be had.
    """
    if settings.world != "live":
        feed = open_feed(settings, now)
        return [Check("prices", WORLDS[settings.world], settings.source_timeout_s, partial(_bars_of, feed, now))]
    return [
        *_exchanges(settings, now, exchanges or {}),
        _check(settings, "pools", settings.pools_url, partial(_pools, settings)),
        *(_check(settings, name, _address(settings, name), partial(_markets, settings, name)) for name in MARKETS),
        *(
            _check(settings, f"news {place}", url, partial(_headlines, settings, url, now))
            for place, url in enumerate(settings.news_feeds, 1)
        ),
    ]


def _check(settings: Settings, part: str, url: str, ask: Callable[[], Told]) -> Check:
    """The check of what is asked at `url`, of which the host alone is shown: the rest may hold a key."""
    return Check(part, _host(url), settings.source_timeout_s, ask)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "no host"
    except ValueError:
        return "no host"


def _address(settings: Settings, name: str) -> str:
    return getattr(settings, f"{name}_url")


def _bars_of(feed: Feed, now: int) -> Told:
    """The last day of every asset, as the world's clock has it when it begins now."""
    instant = feed.clock(now).at(now)
    counts = {asset: len(feed.fetch(asset, instant - DAY, instant).bars) for asset in feed.assets}
    if not any(counts.values()):
        raise Fails("It has no bars of the day before it begins.")
    return Told(f"bars of {feed.step} s in a day: " + ", ".join(f"{asset} {count}" for asset, count in counts.items()))


def _exchanges(settings: Settings, now: int, options: Options) -> list[Check]:
    # Only a live world pays the seconds that importing ccxt takes.
    from service.sources.feeds.exchange_client import ExchangeClient

    if not settings.exchanges:
        raise SettingsError("EXCHANGES: name at least one exchange, as ccxt calls it")
    clients = [ExchangeClient(name, options.get(name, {})) for name in settings.exchanges]
    seconds = settings.source_timeout_s
    return [
        Check(f"prices {client.name}", "exchange", seconds, partial(_exchange, client, seconds, now))
        for client in clients
    ]


def _exchange(client: ExchangeClient, seconds: float, now: int) -> Told:
    from service.sources.feeds.exchange_client import STEP, SYMBOLS

    until = now - now % STEP
    answer = client.ask("btc", until - HOUR, until, seconds)
    if answer.fault:
        raise Fails(f"{client.name} gave no bars: {_in_words(answer.fault)}.")
    if not answer.source:
        raise Fails(f"{client.name} lists none of {', '.join(SYMBOLS['btc'])}.")
    bars, _ = check(answer.rows, STEP)
    if not len(bars):
        raise Fails(f"{client.name} gave no sound bars of the last hour.")
    return Told(f"{answer.source}, bars of the last hour: {len(bars)}")


def _in_words(fault: str) -> str:
    """How an exchange failed, in words of ours."""
    if fault.startswith("no whole answer"):
        return TOO_LATE
    return FAULTS.get(fault.partition(":")[0], UNREADABLE)


def _failed(failed: SourceFailed) -> Fails:
    """What a source raised as a sentence; where it ends with the name of an error, that is said in words."""
    told, colon, last = failed.detail.removeprefix("it could not be read: ").rstrip(".").rpartition(": ")
    known = FAULTS.get(last, UNREADABLE if last.endswith("Error") else last)
    return Fails(f"{told}{colon}{known}.")


def _pools(settings: Settings) -> Told:
    try:
        found, _ = pools.parse(pools.fetch(settings.pools_url, settings.source_timeout_s), VOLATILITY)
    except SourceFailed as failed:
        raise _failed(failed) from None
    if not found:
        raise Fails("DefiLlama lists no pool that a lane could be in.")
    return Told(f"pools that a lane could be in: {len(found)}")


def _markets(settings: Settings, name: str) -> Told:
    try:
        listed, refused = MARKETS[name].list_open(_address(settings, name), settings.source_timeout_s)
    except SourceFailed as failed:
        raise _failed(failed) from None
    if not listed and not refused:
        raise Fails(f"{name} lists no open market on crypto prices.")
    return Told(f"open markets: {len(listed)}; passed over, as they tell too little: {len(refused)}")


def _headlines(settings: Settings, url: str, now: int) -> Told:
    try:
        found = headlines.fetch(url, headlines.FeedState(), settings.source_timeout_s, now).headlines
    except SourceFailed as failed:
        raise _failed(failed) from None
    if not found:
        raise Fails("The feed holds no headline that can be read.")
    return Told(f"headlines: {len(found)}")
