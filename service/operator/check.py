"""Check the settings: every configured source and seat is called once; what works, how fast and at what cost.

A check is one real call; it results in a finding. No text of a source enters a finding, since it may hold a key: errors
are described by the name of their class.
"""

from __future__ import annotations

import argparse
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from service import logs
from service.config import Settings, SettingsError
from service.errors import NinefoldError, SourceFailed
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs
from service.forecasting.voters.inputs import INPUTS
from service.forecasting.voters.panel import VOTERS, Voter
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR, utc
from service.operator.commands import CommandOutput, CommandTable
from service.questions import Circumstances, understand
from service.sources import headlines, pools
from service.sources.feeds import Feed, open_feed
from service.sources.feeds.feed import AssetUnlisted
from service.sources.llm.limits import Budget, Spending, SpendingInMemory
from service.sources.llm.seating import ModelSeat, seated
from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET
from service.sources.odds.source import OddsSource
from service.sources.sessions import TOO_LATE, in_time, use_proxy
from service.store import migrations
from service.store.database import Database, address_of, revision_at
from service.store.quotas import StoredSpending

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
        "pools": (settings.pools_url, "usable pools", _usable_pools),
        "polymarket": (settings.polymarket_url, "open markets", partial(_open_markets, POLYMARKET)),
        "kalshi": (settings.kalshi_url, "open markets", partial(_open_markets, KALSHI)),
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


def _open_markets(source: OddsSource, url: str, seconds: float) -> int:
    """The number of markets that a source lists, also of those that no question fits."""
    markets, refusals = source.list_open(url, seconds)
    return len(markets) + refusals


def _usable_pools(url: str, seconds: float) -> int:
    return len(pools.parse(pools.fetch(url, seconds), VOLATILITY)[0])


def _headlines(now: int, url: str, seconds: float) -> int:
    return len(headlines.fetch(url, headlines.FeedState(), seconds, now).headlines)


def _count(noun: str, request: Callable[[], int]) -> Finding:
    if not (rows := request()):
        raise SourceFailed(f"No {noun}.")
    return Finding(detail=f"{noun}: {rows}")


def _host(url: str) -> str:
    """The host of an address; the rest may hold a key."""
    with suppress(ValueError):
        return urlsplit(url).hostname or "no host"
    return "no host"


COLUMNS = ("part", "works", "ms", "cost", "what", "detail")
SAMPLE_STATE = AssetState(
    asset="btc",
    spot=100_000.0,
    now=0,
    until=72 * HOUR,
    hours=72.0,
    sigma=0.04,
    slow=2e-5,
    history_days=240.0,
    inputs=dict.fromkeys(INPUTS, 0.0),  # which carry no information
)


def check(_arguments: argparse.Namespace, settings: Settings) -> CommandOutput:
    """Call every configured source and seat once, and print what works, how long it took and what it cost.

    Exit code 0: everything works; 1: something does not; 2: the settings cannot be used.
    """
    logs.configure("error")
    logging.disable(logging.CRITICAL)  # the libraries' log lines may hold keys
    return findings_table(examine(settings))


def findings_table(findings: Sequence[Finding]) -> CommandTable:
    """The findings as a table, with the cost in words."""
    rows = [finding._asdict() | {"cost": _cost(finding)} for finding in findings]
    return CommandTable(COLUMNS, rows, is_good=all(finding.works for finding in findings))


def _cost(finding: Finding) -> str:
    if not finding.tokens:
        return "unknown" if finding.tokens is None else "free"
    price = "price unknown" if finding.usd is None else f"{finding.usd:.4f} USD" if finding.usd else "free"
    return f"{'' if finding.works else 'at most '}{finding.tokens} tokens, {price}"


def examine(settings: Settings, now: Callable[[], float] = time.time, exchanges: Options = None) -> list[Finding]:
    """The findings of all parts that the settings name; the only thing stored is what language models cost.

    `now` is the wall clock, `exchanges` maps the name of an exchange to arguments for its ccxt constructor.
    Raises SettingsError, before any check runs, where the settings cannot be used.
    """
    use_proxy(settings)
    settings = settings if settings.world else settings.in_world("live")  # what a first start would ask
    wall, budget = int(now()), Budget(None, None, SpendingInMemory(), time.time)
    seats = [voter for voter in seated(VOTERS, settings, budget) if voter.kind == "seat"]
    check_database, *checks = [*store_checks(settings), *source_checks(settings, wall, exchanges)]
    database, spending = check_database(), SpendingInMemory()
    with ExitStack() as stack:
        if database.detail == UP_TO_DATE:
            spending = StoredSpending(stack.enter_context(closing(Database(settings.database))))
        call, seconds = partial(_ask, settings, spending, wall), settings.oracle_deadline_s
        checks += [partial(run, f"seat {seat.name}", seat.engine, seconds, partial(call, seat)) for seat in seats]
        with ThreadPoolExecutor(len(checks)) as executor:
            return [database, *executor.map(lambda check: check(), checks)]


@dataclass
class SeatSpending:
    """Adds to the common spending and counts what one seat spent."""

    common: Spending
    tokens: int = 0
    usd: float = 0.0

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        self.tokens, self.usd = self.tokens + tokens, self.usd + usd
        return self.common.add(day, tokens, usd)


def _ask(settings: Settings, spending: Spending, now: int, seat: Voter) -> Finding:
    if not isinstance(seat, ModelSeat):
        return Finding(detail="no model is configured")
    meter = SeatSpending(spending)
    budget = Budget(settings.oracle_daily_tokens, settings.oracle_daily_usd, meter, time.time)
    circumstances = Circumstances(utc(now), {"btc": SAMPLE_STATE.spot})
    question = understand("Will Bitcoin rise more than 2% in 3 days?", circumstances)
    inputs = ForecastInputs(SAMPLE_STATE, other=None, correlation=None, fits=None)
    try:
        forecast = replace(seat, budget=budget, on_failure="abstain").forecast(question, inputs)
    except Abstention as abstention:
        usd = round(meter.usd, 9) if seat.model.price or not meter.tokens else None
        provider, model = seat.model.chosen
        advice = f" Run `ollama serve` and `ollama pull {model}`." if provider.name == "ollama" else ""
        return Finding(works=False, tokens=meter.tokens, usd=usd, detail=f"{abstention}.{advice}")
    price = "" if seat.model.price else "; ORACLE_PRICES can state its price, without it only tokens are limited"
    detail = f"answers {forecast.p:.0%} to a sample question{price}"
    return Finding(tokens=forecast.tokens, usd=forecast.usd, detail=detail)
