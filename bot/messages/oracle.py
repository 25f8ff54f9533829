"""A question in progress, its answer, the votes behind it, and the remaining quota."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from bot.messages.formats import (
    SIDES,
    chance,
    direction_arrow,
    instant,
    percent,
    plural,
    price,
    time_of_day,
    words,
    world,
)
from bot.messages.markup import escaped, message, pages

VOTES_A_PAGE = 5
ADVICE = "Paper research. Not investment advice."
TYPICAL_S = 15
SIDES_IN_ORDER = ("bull", "neutral", "bear")


def waiting(voters: int) -> str:
    """Before the first vote."""
    return f"Asking {voters} voters. This takes about {TYPICAL_S} seconds."


def progress(voted: int, voters: int) -> str:
    """While the votes arrive."""
    return f"{voted} of {voters} have voted."


def busy() -> str:
    """The reply to a second question while the first is open."""
    return "One question at a time. Your last one is still being answered."


def answer(document: Mapping[str, Any], usage: Mapping[str, Any] | None = None) -> str:
    """The consensus on a question; `usage` is the person's own, None if unknown."""
    consensus = document["consensus"]
    direction = f"{direction_arrow(consensus['direction'])} {escaped(consensus['direction'], 40)}"
    is_cached = document.get("cached")
    blocks = [
        f"<i>{escaped(document['question'], 1000)}</i>",
        "",
        f"<b>{direction}</b> · {escaped(words(consensus['strength']).lower(), 40)}",
        _probabilities(document),
        _price_range(document.get("price_forecast")),
        _turnout(document),
        *_understood(document["understood"]),
        remaining(usage) if usage and not is_cached else "",
        "The same question was asked minutes ago. This is that answer; it was not counted." if is_cached else "",
    ]
    tail = f"<i>{world(document)} · as of {instant(document['as_of'])}</i>\n{ADVICE}"
    return message(blocks, tail)


def votes(document: Mapping[str, Any]) -> list[str]:
    """Every vote with its reasoning, and every abstention with its reason."""
    cast = [vote_lines(name, vote) for name, vote in document["votes"].items()]
    abstained = [
        f"<b>{escaped(name, 60)}</b> abstained: {escaped(reason)}" for name, reason in document["abstained"].items()
    ]
    head = f"<b>Votes</b> · {escaped(document['question'], 300)}"
    return pages([*cast, *abstained], VOTES_A_PAGE, head, ADVICE)


def vote_lines(name: str, vote: Mapping[str, Any]) -> str:
    """One vote: the voter, its side, its probability, its reasoning."""
    side = escaped(SIDES.get(vote["direction"]) or vote["direction"], 40)
    remarks = [
        escaped(vote["engine"], 60) if vote["engine"] != "embedded" else "",
        "its model failed, so the embedded engine voted" if vote.get("fallback") else "",
        "far from the other votes, so it counts one third" if vote.get("outlier") else "",
    ]
    suffix = "".join(f" · {remark}" for remark in remarks if remark)
    head = (
        f"{direction_arrow(vote['direction'])} <b>{escaped(name, 60)}</b> {side} · yes {chance(vote['p_yes'])}{suffix}"
    )
    return f"\n{head}\n{escaped(vote['reasoning'], 420)}"


def remaining(usage: Mapping[str, Any]) -> str:
    """The number of questions left today."""
    quota = usage["quota"]
    return f"{quota['remaining']:,} of {plural(quota['limit'], 'question')} left today"


def quota(usage: Mapping[str, Any]) -> str:
    """/quota: the remaining questions, and when the quota starts again."""
    reset_at = usage["quota"]["reset_at"]
    if not usage["quota"]["remaining"]:
        return quota_used_up(usage["quota"]["limit"], reset_at)
    return f"{remaining(usage)}.\nThe quota starts again at {instant(reset_at)}."


def quota_used_up(limit: int | None, reset_at: str | None) -> str:
    """No question is left today."""
    questions = f"today's {plural(limit, 'question')}" if limit else "today's questions"
    return f"You have used {questions}. You can ask again after {time_of_day(reset_at)}."


def _probabilities(document: Mapping[str, Any]) -> str:
    consensus, p_yes = document["consensus"], document["p_yes"]
    bull, bear = (percent(consensus[f"{side}_probability"], 0) for side in ("bull", "bear"))
    # Where "yes" is not the bullish side, bull and bear do not say how likely "yes" is.
    shows_yes = p_yes is not None and document["understood"].get("polarity") != "bull"
    return f"Bull {bull} · Bear {bear}" + (f" · Yes {chance(p_yes)}" if shows_yes else "")


def _price_range(forecast: Mapping[str, Any] | None) -> str:
    """Where the price will be at the deadline; "" without a forecast of the price."""
    if forecast is None:
        return ""
    half, most = (
        f"{share}% between {price(forecast['quantiles'][low])} and {price(forecast['quantiles'][high])}"
        for share, low, high in ((50, "25", "75"), (90, "5", "95"))
    )
    return f"Price at the deadline: {half}; {most}"


def _turnout(document: Mapping[str, Any]) -> str:
    cast, voters = document["votes"], len(document["votes"]) + len(document["abstained"])
    sides = Counter(SIDES.get(vote["direction"], "unclear") for vote in cast.values())
    shown = ", ".join(
        f"{sides[side]} {side}" for side in (*SIDES_IN_ORDER, "unclear") if side != "unclear" or sides[side]
    )
    effective = document["consensus"].get("effective_voters")
    is_correlated = effective and effective < len(cast) / 2
    remark = f"\nTheir votes are similar: they count as {effective:g} independent voters" if is_correlated else ""
    return f"{len(cast)} of {voters} voted: {shown}{remark}"


def _understood(understood: Mapping[str, Any]) -> list[str]:
    return [f"Understood as: {escaped(understood['canonical'], 500)}", *map(escaped, understood["notes"][:3])]
