"""The prompt of a seat: the question rebuilt from its parse, the base rate, and this seat's inputs alone.

The caller's own words stand between two marks that they cannot know, declared as data.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

from service.forecasting.brains import VOL
from service.forecasting.inputs import LOOK_BACK_H, describe
from service.forecasting.questions.canonical import canonical, price
from service.forecasting.questions.clean import LONGEST
from service.forecasting.questions.question import Question
from service.forecasting.seats import SEATS
from service.forecasting.situation import Situation, View, require, settled

TEXTS = Path(__file__).parent
INPUTS = {seat.name: seat.inputs for seat in SEATS}


@dataclass(frozen=True)
class Prompt:
    """What a model is told. `version` names the seat and the texts it was written from; it is kept with the vote."""

    system: str
    user: str
    version: str


def _text(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8").strip()


FRAME, CASE = Template(_text("frame")), Template(_text("case"))
SYSTEMS = {seat: FRAME.substitute(seat=seat, evidence=_text(seat)) for seat in INPUTS}
VERSIONS = {
    seat: f"{seat}/{hashlib.sha256((told + CASE.template).encode()).hexdigest()[:8]}" for seat, told in SYSTEMS.items()
}


def write(seat: str, question: Question, situation: Situation, nonce: str) -> Prompt:
    """The prompt of a seat for a question.

    Parameters
    ----------
    seat : str
        One of the six.
    nonce : str
        Marks where the caller's words begin and end: random, new for every call, never shown to the caller.

    Raises Abstention where an input of the seat is unknown.
    """
    views = [view for view in (situation.view, situation.other) if view is not None]
    user = CASE.substitute(
        question=canonical(question),
        horizon=_horizon(question, situation.view),
        prices="\n".join(_price(view) for view in views),
        levels="".join(f"- {line}\n" for line in _levels(question, situation.view)),
        base=f"{100 * VOL.forecast(question, situation).p:.1f}",
        evidence="\n".join(f"- {line}" for view in views for line in _evidence(seat, view, situation)),
        nonce=nonce,
        words=fenced(question.text, nonce),
    )
    return Prompt(SYSTEMS[seat], user, VERSIONS[seat])


def fenced(text: str, nonce: str) -> str:
    """The caller's words on one line, at most 500 characters, with nothing in them that could end the fence."""
    visible = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in text[:LONGEST])
    return " ".join(visible.replace(nonce, "\N{REPLACEMENT CHARACTER}").split())


def _horizon(question: Question, view: View) -> str:
    hours = question.horizon_hours
    return f"{hours:.1f} hours ({hours / 24:.1f} days), of which {view.asset} trades {view.hours:.1f} hours"


def _price(view: View) -> str:
    return f"- {view.asset} is at {price(view.spot)} USD; one sigma until the deadline is {100 * view.sigma:.1f} %"


def _levels(question: Question, view: View) -> Iterator[str]:
    """How far the levels are, or that it is as good as decided."""
    decided = settled(question, view)
    if decided is not None:
        yield decided
        return
    for level in (question.level, question.upper_level):
        if level is not None:
            away = 100 * (level / view.spot - 1)
            yield f"{price(level)} USD is {away:+.1f} % away, {view.distance(level):+.1f} sigma"


def _evidence(seat: str, view: View, situation: Situation) -> Iterator[str]:
    """The seat's inputs of one asset in words; before the first fit 0 stands for what is usual."""
    names = INPUTS[seat]
    fit = situation.fits.linear.get(seat) if situation.fits else None
    centers = fit.centers if fit else (0.0,) * len(names)
    for name, value, center in zip(names, require(view, names, LOOK_BACK_H / 24).tolist(), centers, strict=True):
        yield f"{view.asset}: {describe(name, value, center, view.asset)}"
