"""What the API answers, as the front end receives it: the examples of the docs, made as long as real ones are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from service.api import examples

Document = dict[str, Any]

NAMED = ("votes", "ai_votes", "abstained", "failed", "status")
AS_OF = datetime(2026, 11, 21, 8, tzinfo=UTC)
USAGE = {
    "plan": "free",
    "daily_limit": 10,
    "used": 8,
    "quota": {"limit": 10, "remaining": 2, "reset_at": "2026-11-22T00:00:00Z"},
}


def told(example: object) -> Document:
    """An example as the client gives it."""
    return TypeAdapter(object).dump_python(example, mode="json")


def every_string(document: Any, change: Callable[[str], str], *, is_named: bool = False) -> Any:
    """A document with each of its strings changed, also the names under which it lists voters, reasons and counts."""
    if isinstance(document, str):
        return change(document)
    if isinstance(document, list):
        return [every_string(one, change) for one in document]
    if not isinstance(document, dict):
        return document
    return {
        (f"{change(key)}{place}" if is_named else key): every_string(one, change, is_named=key in NAMED)
        for place, (key, one) in enumerate(document.items())
    }


def longer(document: Any, times: int) -> Any:
    """A document with every list as many times as long."""
    if isinstance(document, list):
        return [copy.deepcopy(longer(one, times)) for _ in range(times) for one in document]
    if isinstance(document, dict):
        return {key: longer(one, times) for key, one in document.items()}
    return document


def votes(number: int) -> Document:
    """As many different votes as asked for."""
    (vote,) = list(told(examples.ANSWER)["votes"].values())[:1]
    return {f"voter{place}": copy.deepcopy(vote) for place in range(number)}


def answer() -> Document:
    """An answer with nine votes."""
    return told(examples.ANSWER) | {"votes": votes(9), "abstained": {}}


def challenge(**parts: Any) -> Document:
    """A challenge with ten votes."""
    given = told(examples.CHALLENGE)
    return given | {"ai_votes": given["ai_votes"] | votes(10 - len(given["ai_votes"]))} | parts


def history(days: int = 7) -> Document:
    """What six lanes were worth in so many days, and what they did."""
    made = told(examples.BATTLE_HISTORY)
    lane = made["lanes"][0]
    names = ("trend", "reversion", "breakout", "consensus", "lp_wide", "lp_chaser")
    lanes = []
    for place, name in enumerate(names):
        points = [
            {"time": _iso(hours=hour - 24 * days), "equity_usd": 10_000 + (place - 2) * 3 * hour, "status": "in_market"}
            for hour in range(1, 24 * days + 1)
        ]
        venue = "dex" if name.startswith("lp") else "cex"
        done = lane["events"][0] | {"time": _iso(hours=-3)}
        events = [done | {"kind": kind} for kind in ("trade", "harvest", "switch")]
        lanes.append(lane | {"name": name, "label": name, "venue": venue, "points": points, "events": events})
    return made | {"as_of": _iso(), "lanes": lanes}


def strategy(days: int = 120) -> Document:
    """A strategy with a curve of so many days."""
    made = told(examples.STRATEGY)
    curve = [
        {"time": _iso(hours=24 * (day - days)), "equity_usd": 70_000 + 100 * day, "benchmark_usd": 70_000 - 50 * day}
        for day in range(days)
    ]
    return made | {"equity": curve}


def fund(days: int = 30) -> Document:
    """The fund with a curve of so many days, half of it backfilled."""
    made = told(examples.APEX_FUND)
    curve = [
        {
            "time": _iso(hours=6 * at - 24 * days),
            "equity_usd": 1000 + at,
            "benchmark_usd": 1000 - at,
            "backfilled": at < 2 * days,
        }
        for at in range(4 * days)
    ]
    orders = [made["trades"][0] | {"side": side, "time": _iso(hours=-50)} for side in ("buy", "sell")]
    return made | {"equity": curve, "trades": orders}


def versus(n: int = 400) -> Document:
    """Two books: nothing live, and one of `n` backfilled markets with calibration and a curve."""
    made = told(examples.AI_VS_MARKET)
    book = made["books"][0]
    scores = {"n": n, "brier": 0.2432, "log_score": 0.68, "accuracy_n": n, "accuracy_pct": 59.0164, "skill": 0.02}
    scores |= {"accuracy_low_pct": 54.6, "accuracy_high_pct": 63.3}
    bins = [
        {"p": p / 10, "observed_pct": 10.0 * p, "low_pct": 10.0 * p - 8, "high_pct": 10.0 * p + 8, "n": n // 8}
        for p in range(1, 9)
    ]
    calibration = {"n": n, "miscalibration": 0.01, "discrimination": 0.01, "uncertainty": 0.24, "bins": bins}
    curve = [
        {"resolved_at": _iso(hours=24 * (day - 30)), "n": 3 + day * n // 30, "brier_ai": 0.24, "brier_market": 0.242}
        for day in range(31)
    ]
    voter = scores | {"voter": "vol", "engine": "embedded", "kind": "brain", "against_vol": 0.0}
    nobody = dict.fromkeys(scores) | {"n": 0, "accuracy_n": 0}
    live = book | {"backfilled": False, "n": 0, "difference": None, "verdict": "not enough resolved markets"}
    live |= {"ai": nobody, "market": nobody, "base_rate": nobody, "voters": [], "cumulative": []}
    live |= {"calibration": {"ai": None, "market": None}}
    past = book | {"backfilled": True, "n": n, "ai": scores, "market": scores, "base_rate": scores}
    past |= {"verdict": "no clear difference yet", "voters": [voter] * 9, "cumulative": curve}
    past |= {"difference": {"mean": 0.0013, "low": -0.0011, "high": 0.0041, "p_value": 0.76, "n": n, "weeks": 5}}
    past |= {"calibration": {"ai": calibration, "market": calibration}}
    return made | {"books": [live, past]}


def event() -> Document:
    """Something a lane did, as the alerts pass it on."""
    lane = told(examples.BATTLE_HISTORY)["lanes"][0]
    return lane["events"][0] | {key: lane[key] for key in ("label", "venue")} | {"lane": lane["name"], "world": "live"}


def _iso(**ago: float) -> str:
    return (AS_OF + timedelta(**ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
