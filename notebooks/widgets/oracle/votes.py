"""The votes on one question: the inquiry built from the event stream, its rows for a chart, and its texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from notebooks.widgets.base.html_tables import Fact, table
from notebooks.widgets.base.probability_rows import MIDDLE
from notebooks.widgets.base.wording import Document, percent
from service.client import ClientError, Refused

# Kinds of questions that are not about the price of one asset; the direction of most of them is that of the answer.
WITHOUT_PRICE = ("topic", "both", "either", "relative", "volatility")
# Kinds whose answer is how likely a rise or a fall of the price is.
ON_RISE = ("up", "down", "open")


@dataclass(frozen=True)
class VoteRow:
    """The row of a voter: `percentage` is P(YES), None until the vote arrives and where the voter `abstention`.

    `direction` is what the vote expects of the price, NEUTRAL for a question that is not about one.
    """

    voter: str
    percentage: float | None = None
    direction: str | None = None
    weight: float = 1.0
    is_pivotal: bool = False
    abstention: str | None = None


def opened(event: Document) -> dict[str, Any]:
    """An inquiry with its question and no votes yet."""
    return {**event, "votes": {}, "abstained": {}, "consensus": None}


def extended(inquiry: Document, event: Document) -> dict[str, Any]:
    """The inquiry with the next event of its stream."""
    if event["event"] == "vote":
        return {**inquiry, "votes": {**inquiry["votes"], event["voter"]: event["vote"]}}
    if event["event"] == "abstention":
        return {**inquiry, "abstained": {**inquiry["abstained"], event["voter"]: event["reason"]}}
    if event["event"] == "consensus":
        return {**inquiry, **event}
    return dict(inquiry)


def count(inquiry: Document) -> tuple[int, int]:
    """The number of voters that voted or abstained, and the number of all voters."""
    return len(inquiry["votes"]) + len(inquiry["abstained"]), len(inquiry["voters"])


def rows(inquiry: Document) -> list[VoteRow]:
    """A row for every voter in the order of the inquiry, also for those whose vote has not arrived."""
    return [_row(inquiry, voter) for voter in inquiry["voters"]]


def consensus_pct(inquiry: Document) -> float:
    """The consensus on the axis of the votes, in percent."""
    p = inquiry["p_yes"]
    return inquiry["consensus"]["bull_probability"] if p is None else 100 * p


def side(inquiry: Document) -> str:
    """The outcome that the axis shows: YES, or UP for a question without a criterion."""
    return "UP" if inquiry["understood"]["comparator"] == "open" else "YES"


def has_price(inquiry: Document) -> bool:
    """Whether the question is about the price of one asset."""
    return inquiry["understood"]["comparator"] not in WITHOUT_PRICE


def verdict(inquiry: Document) -> str:
    """The answer, the number of votes above even odds, and what the voters expect of the price."""
    votes = [row.percentage for row in rows(inquiry) if row.percentage is not None]
    above = sum(vote > MIDDLE for vote in votes)
    likelihood = f"UP {consensus_pct(inquiry):.1f}%" if inquiry["p_yes"] is None else inquiry["answer"]
    return " · ".join(filter(None, [likelihood, f"{above} of {len(votes)} votes above 50%", _view(inquiry)]))


def _view(inquiry: Document) -> str:
    """What the voters expect of the price.

    "" for a question that is not about one, and where the answer itself says that a rise is as likely as a fall.
    """
    consensus = inquiry["consensus"]
    if not has_price(inquiry):
        return ""
    if consensus["direction"] != "NEUTRAL":
        return f"{consensus['direction'].lower()} on the price, P(higher) {consensus['bull_probability']:.1f}%"
    if inquiry["understood"]["comparator"] in ON_RISE:
        return ""
    return "a rise and a fall of the price are equally likely"


def price_range(inquiry: Document) -> str | None:
    """Where the price will be at the deadline, in words; None without a forecast of the price."""
    forecast = inquiry.get("price_forecast")
    if forecast is None:
        return None
    quantiles = forecast["quantiles"]
    spans = ((50, "25", "75"), (90, "5", "95"))
    ranges = (f"{share}% between {quantiles[low]:,.6g} and {quantiles[high]:,.6g}" for share, low, high in spans)
    return f"price at the deadline: {'; '.join(ranges)}"


def other_readings(inquiry: Document) -> str | None:
    """The other readings of a question whose text leaves a choice; None for most questions."""
    others = [other["question"] for other in inquiry["understood"].get("alternatives", ())]
    return f"it can also be read as: {' '.join(others)}" if others else None


def suggested(fault: ClientError) -> str:
    """The questions that a refusal suggests instead."""
    suggestions = fault.suggestions if isinstance(fault, Refused) else ()
    return f" You can ask: {' '.join(suggestions)}" if suggestions else ""


def facts(inquiry: Document, voter: str) -> str:
    """The vote of a voter with its reasoning and its engine, as HTML."""
    if voter in inquiry["abstained"]:
        return table(voter, [Fact("abstained", inquiry["abstained"][voter])])
    vote = inquiry["votes"].get(voter)
    if vote is None:
        return table(voter, [Fact("vote", "pending")])
    marks = {
        "pivotal": _is_pivotal(inquiry, voter),
        "outlier, one third of the weight": vote["outlier"],
        "fallback engine": vote["fallback"],
    }
    return table(
        voter,
        [
            Fact("P(YES)", percent(vote["p_yes"]), "%"),
            Fact("price view", vote["direction"] if has_price(inquiry) else None),
            Fact("conviction", vote["conviction"], " of 100"),
            Fact("weight", vote["weight"] if inquiry["consensus"] else "pending until the consensus"),
            Fact("marks", ", ".join(name for name, applies in marks.items() if applies) or None),
            Fact("engine", vote["engine"]),
            Fact("prompt version", vote["prompt"]),
            Fact("tokens", vote["tokens"]),
            Fact("cost", None if vote["usd"] is None else f"{vote['usd']:.6f} USD"),
            Fact("latency", vote["latency_ms"], " ms"),
            Fact("reasoning", vote["reasoning"]),
        ],
    )


def _is_pivotal(inquiry: Document, voter: str) -> bool:
    return voter in (inquiry["consensus"] or {}).get("pivotal", ())


def _row(inquiry: Document, voter: str) -> VoteRow:
    if voter in inquiry["abstained"]:
        return VoteRow(voter, abstention=inquiry["abstained"][voter])
    vote = inquiry["votes"].get(voter)
    if vote is None:
        return VoteRow(voter)
    direction = vote["direction"] if has_price(inquiry) else "NEUTRAL"
    return VoteRow(voter, _percentage(vote), direction, vote["weight"], _is_pivotal(inquiry, voter))


def _percentage(vote: Document) -> float:
    """P(YES) in percent; without a criterion P(UP), which is 50 for a neutral vote."""
    if vote["p_yes"] is not None:
        return 100 * vote["p_yes"]
    sign = {"BULLISH": 1, "BEARISH": -1}.get(vote["direction"], 0)
    return MIDDLE + sign * vote["conviction"] / 2
