"""A question on its way, its answer, the votes behind it, and how many questions are left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from bot.messages.figures import SIDES, arrow, chance, clock, counted, instant, percent, words, world
from bot.messages.writing import message, pages, said

VOTES_A_PAGE = 5
ADVICE = "Paper research. Not investment advice."
USUAL_S = 15
SIDES_IN_ORDER = ("bull", "neutral", "bear")


def waiting(voters: int) -> str:
    """While nobody has voted yet."""
    return f"Asking {voters} voters. This takes about {USUAL_S} seconds."


def progress(voted: int, voters: int) -> str:
    """While the votes come in."""
    return f"{voted} of {voters} have voted."


def busy() -> str:
    """To a second question while the first is open."""
    return "One question at a time. Your last one is still being answered."


def answer(told: Mapping[str, Any], usage: Mapping[str, Any] | None = None) -> str:
    """The consensus on a question; `usage` is the person's own, None where it is not known."""
    consensus, meant = told["consensus"], told["understood"]
    strength = words(consensus["strength"]).lower()
    blocks = [
        f"<i>{said(told['question'], 1000)}</i>",
        "",
        f"<b>{arrow(consensus['direction'])} {said(consensus['direction'], 40)}</b> · {said(strength, 40)}",
        _odds(told),
        _turnout(told),
        *_reading(meant),
        left(usage) if usage and not told.get("cached") else "",
        "The same was asked minutes ago: this is that answer, and it was not counted." if told.get("cached") else "",
    ]
    tail = f"<i>{world(told)} · as of {instant(told['as_of'])}</i>\n{ADVICE}"
    return message(blocks, tail)


def votes(told: Mapping[str, Any]) -> list[str]:
    """Every vote with its reason, and who abstained and why."""
    cast = [vote_lines(name, vote) for name, vote in told["votes"].items()]
    silent = [f"<b>{said(name, 60)}</b> abstained: {said(reason)}" for name, reason in told["abstained"].items()]
    head = f"<b>Votes</b> · {said(told['question'], 300)}"
    return pages([*cast, *silent], VOTES_A_PAGE, head, ADVICE)


def vote_lines(name: str, vote: Mapping[str, Any]) -> str:
    """One vote: who, which side, how sure, why."""
    side = said(SIDES.get(vote["direction"]) or vote["direction"], 40)
    marks = [
        said(vote["engine"], 60) if vote["engine"] != "embedded" else "",
        "its model failed, the embedded engine spoke" if vote.get("fallback") else "",
        "far from the others, weighs a third" if vote.get("outlier") else "",
    ]
    noted = "".join(f" · {mark}" for mark in marks if mark)
    first = f"{arrow(vote['direction'])} <b>{said(name, 60)}</b> {side} · yes {chance(vote['p_yes'])}{noted}"
    return f"\n{first}\n{said(vote['reasoning'], 420)}"


def left(usage: Mapping[str, Any]) -> str:
    """How many questions are left today."""
    quota = usage["quota"]
    return f"{quota['remaining']} of {counted(quota['limit'], 'question')} left today"


def quota(usage: Mapping[str, Any]) -> str:
    """/quota: what is left and when it comes back."""
    until = usage["quota"]["reset_at"]
    if not usage["quota"]["remaining"]:
        return used_up(usage["quota"]["limit"], until)
    return f"{left(usage)}.\nThe count starts again at {instant(until)}."


def used_up(limit: int | None, reset_at: str | None) -> str:
    """The day's questions are asked."""
    asked = f"today's {counted(limit, 'question')}" if limit else "today's questions"
    return f"You have used {asked}. They come back at {clock(reset_at)}."


def _odds(told: Mapping[str, Any]) -> str:
    consensus = told["consensus"]
    bull, bear = (percent(consensus[f"{side}_probability"], 0) for side in ("bull", "bear"))
    # Where yes is the bearish side or neither, the two above do not say how likely it is.
    turned = told["p_yes"] is not None and told["understood"].get("polarity") != "bull"
    return f"Bull {bull} · Bear {bear}" + (f" · Yes {chance(told['p_yes'])}" if turned else "")


def _turnout(told: Mapping[str, Any]) -> str:
    cast, every = told["votes"], len(told["votes"]) + len(told["abstained"])
    sides = Counter(SIDES.get(vote["direction"], "unclear") for vote in cast.values())
    shown = ", ".join(
        f"{sides[side]} {side}" for side in (*SIDES_IN_ORDER, "unclear") if side != "unclear" or sides[side]
    )
    worth = told["consensus"].get("effective_voters")
    alike = f"\nThey agree closely: worth {worth:g} independent voters" if worth and worth < len(cast) / 2 else ""
    return f"{len(cast)} of {every} voted: {shown}{alike}"


def _reading(meant: Mapping[str, Any]) -> list[str]:
    return [f"Read as: {said(meant['canonical'], 500)}", *(said(note) for note in meant["notes"][:3])]
