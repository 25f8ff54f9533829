"""Outside services that send anything at all: each answer is read or refused in words, in time that its length sets."""

from __future__ import annotations

import copy
import json
import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial, reduce
from math import isfinite
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.bar_files import read_bars
from service.errors import SourceFailed
from service.forecasting.predictions.imports import Terms, choose, plain
from service.market.instants import DAY, HOUR, unix
from service.sources import headlines, pools
from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET
from service.sources.odds.source import OddsSource
from service.trading.pools import Pool
from tests.conftest import IN_CI, IN_SOAK
from tests.cpu import least_cpu_s
from tests.sources.conftest import POOL

EXAMPLES = settings(
    max_examples=5_000 if IN_SOAK else 500 if IN_CI else 100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
VALUES: list[Any] = [
    *(None, True, False, [], {}, [[]], {"a": {"b": [1]}}, "[" * 20_000, "x" * 100_000, "1" * 5_000),
    *(0, -1, 5e-324, 1e308, -1e308, 10**400, 2**63, float("nan"), float("inf"), "NaN", "1e999", "-0", "0x10", "1_000"),
    *("", "\0", "\ud800", "a\ud800b", "\u202eabc", "١٢٣", "<script>alert(1)</script>", "=1+1", "yes", "void"),
    *("9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "2026-02-30", "finalized", "resolved"),
    *('["Yes","No"]', '["No","Yes"]', '["0.5","0.5"]', '["1","0"]'),
]
MARCH_11 = unix("2026-03-11T16:00:00Z")
SPOTS = {"btc": 70_000.0, "eth": 2_100.0, "sol": 88.0}
VOLATILITY = dict.fromkeys(SPOTS, 0.6)
HEADER = ["timestamp", "open", "high", "low", "close", "volume"]
BARS = [[1_767_225_600_000 + 300_000 * i, 1.5, 2.5, 1.0, 2.0, 10] for i in range(4)]
SIGNS = ("[", "<a", "<", "(", "_", "x", " ", "a.", "0", "1,", "1.", "1% ", "[](", "[a](", "<!--", "&#", "é", "up ", "$")
SIGNS = (*SIGNS, "price ", "<![CDATA[", "http://", "<b>x</b>", "- ", '"', "\n")
LONG = 40_000  # signs: far more than any honest text has
MOST_CPU_S = 0.25  # what costs time by the square of its length takes 1 to 40 s


def places(value: Any, place: tuple = ()) -> Iterator[tuple]:
    """The place of every value inside, as keys and numbers."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*place, key)
        yield from places(inner, (*place, key))


@st.composite
def changed(draw: st.DrawFn, answer: Any) -> Any:
    """The answer with up to three values in the place of others, or without them, as JSON brings it."""
    answer = copy.deepcopy(answer)
    for _ in range(draw(st.integers(1, 3))):
        if choices := list(places(answer)):
            *path, last = draw(st.sampled_from(choices))
            parent = reduce(operator.getitem, path, answer)
            if draw(st.integers(0, 4)):
                parent[last] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            else:
                del parent[last]
    return json.loads(json.dumps(answer))


def faults_of_row(source: OddsSource, row: Any) -> list[object]:
    """What must not come of a row that is read or refused: no odds, unknown outcomes, texts that cannot be stored."""
    asked_at = MARCH_11 - 6 * HOUR
    markets, refusals = source.markets([row], asked_at)
    texts: list[str] = []
    faults: list[object] = [] if len(markets) + refusals == 1 else [markets, refusals]
    faults += [market for market in markets if not (0 <= market.odds.p_yes <= 1 and isfinite(market.volume_usd))]
    for market in markets:
        for now in (asked_at, market.terms.deadline - 6 * HOUR):
            if abs(now - MARCH_11) < 366 * DAY:
                imports, rejections = choose([market], now, SPOTS, VOLATILITY, [], lambda asset, _: SPOTS.get(asset))
                texts += [f"{prediction}" for prediction in imports] + [refusal.reason for refusal in rejections]
    if isinstance(row, dict) and isinstance(id := row.get(source.key), str):
        for settlement, terms in source.settlements([row], [id], MARCH_11).values():
            faults += [] if settlement.outcome in ("yes", "no", "void") else [settlement]
            texts += [settlement.evidence, plain(terms.rules) if terms else ""]
    return faults + [text for text in texts if text.encode(errors="replace").decode() != text]  # a lone surrogate


@pytest.mark.parametrize(
    ("source", "rows"), [(POLYMARKET, ("bitcoin_row", "up_row", "resolved_row")), (KALSHI, ("kalshi_row",))]
)
@EXAMPLES
@given(data=st.data())
def test_any_row_of_a_market_is_read_or_refused(request, data: st.DataObject, source: OddsSource, rows: tuple[str]):
    row = request.getfixturevalue(data.draw(st.sampled_from(rows)))
    assert faults_of_row(source, data.draw(changed(row))) == []


@EXAMPLES
@given(answer=changed({"status": "success", "data": [POOL, POOL | {"symbol": "SOL-USDC"}]}))
def test_any_list_of_pools_is_read_or_refused(answer: Any):
    """No pool has a number that a lane could not count with."""
    by_key: dict[str, Pool] = {}
    with suppress(SourceFailed):
        by_key, _ = pools.parse(answer, VOLATILITY)
    numbers = [(pool.fee, pool.tvl_usd, pool.volume_usd, pool.concentration) for pool in by_key.values()]
    assert [row for row in numbers if not all(isfinite(number) and number > 0 for number in row)] == []


@EXAMPLES
@given(rows=st.one_of(changed(BARS), changed([dict(zip(HEADER, row, strict=True)) for row in BARS])))
def test_any_json_of_bars_is_read_or_refused(rows: Any):
    """A refusal begins with the name of the file."""
    refusal, numbers = "btc.json", np.zeros(0)
    try:
        numbers = read_bars("btc.json", json.dumps(rows).encode()).rows
    except ValueError as error:
        refusal = str(error)
    assert refusal.startswith("btc.json")
    assert np.isfinite(numbers).all()


def feed(text: str) -> bytes:
    title = text.replace("&", "&amp;").replace("<", "&lt;")
    date = "<pubDate>Wed, 11 Mar 2026 10:00:00 GMT</pubDate>"
    return f'<rss version="2.0"><channel><item><title>{title}</title>{date}</item></channel></rss>'.encode()


@pytest.mark.parametrize(
    "read",
    [
        plain,
        lambda text: Terms(text, text, MARCH_11, text).wording(short=False),
        lambda text: Terms(text, text, MARCH_11, text).wording(short=True),
        lambda text: pools.parse({"status": "success", "data": [POOL | {"poolMeta": text}]}, VOLATILITY),
        lambda text: headlines.headlines_in(feed(text), "https://news.example/feed", MARCH_11),
    ],
    ids=["rules", "title", "short title", "fee", "headline"],
)
def test_a_long_text_from_outside_costs_little_time(read: Callable[[str], object]):
    """Whatever sign it repeats: no pattern looks at a sign again for every sign before it."""
    texts = [(sign * LONG)[:LONG] for sign in SIGNS]
    assert max(least_cpu_s(partial(read, text), runs=3, enough_s=MOST_CPU_S) for text in texts) < MOST_CPU_S
