"""Documents of the API as long as real ones, built from the examples."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Document = dict[str, Any]
HOSTILE = '<b>&"'  # markup that must be escaped
NAME_FIELDS = ("votes", "ai_votes", "abstained", "failed", "status")
EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text(encoding="utf-8"))
AS_OF = datetime(2026, 11, 21, 8, tzinfo=UTC)
USAGE = {"plan": "free", "daily_limit": 10, "used": 8}
USAGE |= {"quota": {"limit": 10, "remaining": 2, "reset_at": "2026-11-22T00:00:00Z"}}


def __getattr__(name: str) -> object:
    """A copy of the example with this name, which has round numbers that tests look for in the bot's messages."""
    if name not in EXAMPLES:
        raise AttributeError(name)
    return _example(name)


def every_string(document: Any, change: Callable[[str], str], *, is_named: bool = False) -> Any:
    """A document with every string changed, also the keys of the objects in NAME_FIELDS, which are names."""
    if isinstance(document, str):
        return change(document)
    if isinstance(document, list):
        return [every_string(element, change) for element in document]
    if not isinstance(document, dict):
        return document
    return {
        (f"{change(key)}{index}" if is_named else key): every_string(value, change, is_named=key in NAME_FIELDS)
        for index, (key, value) in enumerate(document.items())
    }


def repeated(document: Any, times: int) -> Any:
    """A document with every list repeated."""
    if isinstance(document, list):
        return [copy.deepcopy(repeated(element, times)) for _ in range(times) for element in document]
    if isinstance(document, dict):
        return {key: repeated(value, times) for key, value in document.items()}
    return document


def votes(number: int) -> Document:
    """`number` votes by voters of different names."""
    return {f"voter{index}": next(iter(_example("ANSWER")["votes"].values())) for index in range(number)}


def answer() -> Document:
    """An answer with nine votes."""
    return _example("ANSWER") | {"votes": votes(9), "abstained": {}}


def meaning(comparator: str, **parts: Any) -> Document:
    """What a question of a kind means, with every part that a question of this kind can have."""
    leg = {"asset": "btc", "comparator": "touch_above", "spot": 53_212.0, "negated": False, "level": 60_000.0}
    legs = [leg | {"level_pct": None}, leg | {"level_pct": None, "comparator": "up"}]
    document = _example("ANSWER")["understood"] | {"comparator": comparator, "days": 50, "in_a_row": False}
    document |= {"upper_level": 60_000.0, "level_pct": 10.5, "other_asset": "eth", "legs": legs}
    has_begin = "earlier" in comparator or "days_" in comparator
    return document | {"earlier": "2026-11-25T08:00:00Z" if has_begin else None} | parts


def challenge(**parts: Any) -> Document:
    """A challenge with ten votes."""
    (document,) = _example("CHALLENGES")["challenges"]
    return document | {"ai_votes": document["ai_votes"] | votes(10 - len(document["ai_votes"]))} | parts


def versus() -> Document:
    """An empty live book, and the backfilled one of the examples."""
    document = _example("AI_VS_MARKET")
    past = document["books"][0]
    no_scores = dict.fromkeys(past["ai"]) | {"n": 0, "accuracy_n": 0}
    live = past | {"backfilled": False, "simulated": 0, "verdict": "not enough resolved markets"}
    return document | {"books": [live | {"ai": no_scores, "market": no_scores}, past]}


def market(**parts: Any) -> Document:
    """A market as its page has it: with the opinion of the last hour, and with an own vote and forecast."""
    (entry,) = _example("PREDICTIONS")["markets"]
    own_parts = {"my_vote": {"vote": "yes", "voted_at": iso()}, "my_forecast": {"p_yes": 0.65, "forecast_at": iso()}}
    return entry | own_parts | {"ai_now": {"p_yes": 0.62, "as_of": iso()}, "world": "simulated"} | parts


def resolved_market() -> Document:
    """The same market after its end."""
    resolution = _example("PREDICTIONS")["markets"][0]["resolution"]
    resolution |= {"outcome": "yes", "resolved_at": iso(), "evidence": "The price was 53,600 USD."}
    return market(status="resolved", ai_now=None, resolution=resolution)


def week(n: int) -> Document:
    """The resolved markets after a week that decided `n` of them, all with yes, half of them as the AI said."""
    halves = ({"p_yes": 0.7, "answer": "Likely: 70%"}, {"p_yes": 0.3, "answer": "Unlikely: 30%"})
    markets = [resolved_market() | {"ai": resolved_market()["ai"] | halves[number % 2]} for number in range(n)]
    return _example("PREDICTIONS") | {"markets": markets, "as_of": iso()}


def decided_answer() -> Document:
    """An answer of the person after its deadline."""
    resolution = {"outcome": "yes", "resolved_at": iso(), "evidence": "The price was 56,000 USD."}
    return answer() | {"resolution": resolution, "score": {"brier": 0.1918, "log": 0.576}}


def forecasters() -> Document:
    scores = {"time_weighted": {"n": 4, "brier": 0.2431}}
    names = ("pool", "market", "a-name-of-thirty-two-characters0")
    header = {name: _example("PREDICTIONS")[name] for name in ("timestamp", "as_of", "stale_after", "world", "sources")}
    entries = [scores | {"rank": rank, "name": name, "entrants": 16} for rank, name in enumerate(names, 1)]
    return header | {"entries": entries}


def candles(hours: int = 168) -> Document:
    """Bars of Bitcoin that rise by 10 USD an hour to the price of PRICES."""
    quote = _example("PRICES")["prices"][0]
    end = datetime.fromisoformat(quote["as_of"])
    ages = range(hours - 1, -1, -1)
    bars = [{"time": iso(end - timedelta(hours=age + 1)), "close": quote["price"] - 10 * age} for age in ages]
    return {"schema": "candles/1", "world": "simulated", "asset": "btc", "step_s": 3600, "bars": bars}


def forecast() -> Document:
    """The forecast of Bitcoin, whose spread grows like the square root of time: 2% in a day."""
    prices, hours = _example("PRICES"), {"1h": 1, "6h": 6, "24h": 24, "3d": 72, "7d": 168, "14d": 336, "30d": 720}
    quote, start = prices["prices"][0], datetime.fromisoformat(prices["as_of"])
    z = {"1": -2.326, "5": -1.645, "10": -1.282, "25": -0.674, "50": 0, "75": 0.674, "90": 1.282, "95": 1.645}
    header = {key: prices[key] for key in ("timestamp", "as_of", "stale_after", "world", "sources")}
    document = {"schema": "forecast/1", **header, "asset": "btc", "name": "Bitcoin", "price": quote["price"]}
    document["horizons"] = horizons = []
    for name, hour in hours.items():
        quantiles = {level: quote["price"] * math.exp(0.02 * (hour / 24) ** 0.5 * value) for level, value in z.items()}
        until = iso(start + timedelta(hours=hour))
        horizons.append({"horizon": name, "until": until, "open_hours": hour, "quantiles": quantiles})
    return document


def iso(instant: datetime = AS_OF) -> str:
    """An instant of UTC in the API's format, by default that of the documents."""
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def _example(name: str) -> Document:
    return copy.deepcopy(EXAMPLES[name])
