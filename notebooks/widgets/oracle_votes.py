"""What voters said on one question, as rows of a chart; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from notebooks.widgets.tables import Row, table

EVEN = 50.0
# Colour by place in the palette and shape, so that either is enough; None is ink.
DIRECTIONS = {"BULLISH": (0, "triangle-up"), "BEARISH": (1, "triangle-down"), "NEUTRAL": (None, "circle")}
UNKNOWN = (3, "x")


@dataclass(frozen=True)
class Said:
    """One row: `chance` is P(YES) in percent and None before the voter spoke or where it `abstained`."""

    voter: str
    chance: float | None = None
    direction: str | None = None
    weight: float = 1.0
    pivotal: bool = False
    abstained: str | None = None


def begun(event: Mapping[str, Any]) -> dict[str, Any]:
    """An inquiry of which only the question is known."""
    return {**event, "votes": {}, "abstained": {}, "consensus": None}


def heard(inquiry: Mapping[str, Any], event: Mapping[str, Any]) -> dict[str, Any]:
    """The inquiry with one more event of its stream."""
    if event["event"] == "vote":
        return {**inquiry, "votes": {**inquiry["votes"], event["voter"]: event["vote"]}}
    if event["event"] == "abstention":
        return {**inquiry, "abstained": {**inquiry["abstained"], event["voter"]: event["reason"]}}
    if event["event"] == "consensus":
        return {**inquiry, **event}
    return dict(inquiry)


def count(inquiry: Mapping[str, Any]) -> tuple[int, int]:
    """How many were heard, and of how many."""
    return len(inquiry["votes"]) + len(inquiry["abstained"]), len(inquiry["voters"])


def rows(inquiry: Mapping[str, Any]) -> list[Said]:
    """Every voter in the order of the inquiry; those who have not spoken yet as well."""
    pivotal = (inquiry["consensus"] or {}).get("pivotal", ())
    return [_row(inquiry, voter, voter in pivotal) for voter in inquiry["voters"]]


def chance_of(inquiry: Mapping[str, Any]) -> float:
    """The consensus on the axis of the votes, in percent."""
    p = inquiry["p_yes"]
    return inquiry["consensus"]["bull_probability"] if p is None else 100 * p


def side(inquiry: Mapping[str, Any]) -> str:
    """What the axis counts: YES, or UP where the question named nothing to say yes to."""
    return "UP" if inquiry["understood"]["comparator"] == "open" else "YES"


def verdict(inquiry: Mapping[str, Any]) -> str:
    """The answer in one sentence."""
    consensus, said = inquiry["consensus"], [row for row in rows(inquiry) if row.chance is not None]
    yes, no = ("up", "down") if side(inquiry) == "UP" else ("yes", "no")
    leaning = {yes: 0, no: 0}
    for row in said:
        if row.direction != "NEUTRAL" and row.chance != EVEN:
            leaning[yes if row.chance > EVEN else no] += 1
    chance = chance_of(inquiry)
    told = f"{side(inquiry)} {chance:.1f} %: "
    worth = f"worth {consensus['effective_voters']} independent voters"
    if consensus["direction"] == "NEUTRAL":
        return f"{told}about even, {leaning[yes]} of {len(said)} lean to {yes}, {leaning[no]} to {no}, {worth}"
    leads = yes if chance > EVEN else no
    return f"{told}{leaning[leads]} of {len(said)} lean to {leads}, {worth}"


def facts(inquiry: Mapping[str, Any], voter: str) -> str:
    """What a voter said and how it came to that, as HTML."""
    if voter in inquiry["abstained"]:
        return table(voter, [Row("abstained", inquiry["abstained"][voter])])
    vote = inquiry["votes"].get(voter)
    if vote is None:
        return table(voter, [Row("vote", "not in yet")])
    pivotal = voter in (inquiry["consensus"] or {}).get("pivotal", ())
    marks = {"pivotal": pivotal, "outlier, weighs a third": vote["outlier"], "fallback engine": vote["fallback"]}
    return table(
        voter,
        [
            Row("P(YES)", None if vote["p_yes"] is None else 100 * vote["p_yes"], " %"),
            Row("direction", vote["direction"]),
            Row("conviction", vote["conviction"], " of 100"),
            Row("weight", vote["weight"] if inquiry["consensus"] else "known with the consensus"),
            Row("marks", ", ".join(name for name, holds in marks.items() if holds) or None),
            Row("engine", vote["engine"]),
            Row("version of its prompt", vote["prompt"]),
            Row("tokens", vote["tokens"]),
            Row("paid", None if vote["usd"] is None else f"{vote['usd']:.6f} USD"),
            Row("took", vote["latency_ms"], " ms"),
            Row("reasoning", vote["reasoning"]),
        ],
    )


def _row(inquiry: Mapping[str, Any], voter: str, pivotal: bool) -> Said:
    if voter in inquiry["abstained"]:
        return Said(voter, abstained=inquiry["abstained"][voter])
    vote = inquiry["votes"].get(voter)
    if vote is None:
        return Said(voter)
    return Said(voter, _chance(vote), vote["direction"], vote["weight"], pivotal)


def _chance(vote: Mapping[str, Any]) -> float:
    """P(YES) in percent; where there is no YES that of up, which a neutral vote leaves at even."""
    if vote["p_yes"] is not None:
        return 100 * vote["p_yes"]
    sign = {"BULLISH": 1, "BEARISH": -1}.get(vote["direction"], 0)
    return EVEN + sign * vote["conviction"] / 2
