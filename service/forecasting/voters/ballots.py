"""What voters answer, before anything is rounded: forecasts, ballots, abstentions, the pool of a panel, and reasons.

A vote is recorded with the sentences of its reasons alone, so their data is read back from them: each sentence has one
template, and an embedded voter says nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Literal

from service.questions.question import Question

VoterKind = Literal["seat", "brain"]
EMBEDDED = "embedded/2"  # changes with the models: another engine has another track record
SUREST = 0.999  # no published probability is closer to 0 or 1 than this


def published_p(p: float) -> float:
    """A probability as it is published: to three decimals, within [0.001, 0.999]."""
    return round(min(SUREST, max(1 - SUREST, p)), 3)


def is_model_engine(engine: str) -> bool:
    """Whether an engine is a language model; the embedded ones of all versions begin with the same word."""
    return not engine.startswith("embedded")


class Abstention(Exception):
    """A voter does not vote; the reason is published."""


@dataclass(frozen=True)
class Forecast:
    """P(YES) `p`, in [0, 1], and why.

    `p_up` is P(the asset is higher at the deadline than now), for two assets P(the first returns more than the other);
    None where the voter has no view of the price: a topic, and votes from before it was asked for.
    `fallback`: the embedded engine answered in place of the seat's language model. `prompt` is the version of the
    prompt that a language model received, `tokens` and `usd` what the answer cost; None without a model, or where the
    provider reports no cost.
    """

    p: float
    reasoning: str
    fallback: bool = False
    prompt: str | None = None
    tokens: int | None = None
    usd: float | None = None
    p_up: float | None = None


@dataclass(frozen=True)
class Ballot:
    """A voter's forecast: by which engine, and how long it took, which is measured but no part of the vote."""

    voter: str
    engine: str
    forecast: Forecast
    latency_ms: float = field(default=0.0, compare=False)

    @property
    def p(self) -> float:
        return self.forecast.p


@dataclass(frozen=True)
class Pooled:
    """The consensus of the ballots: `p` is P(YES), `p_up` P(higher), None where no ballot has one.

    `weights` are those of the ballots, in their order, 1 for an embedded engine. `outliers` are the voters that weigh
    a third because they are far from the others. `without` is the P(YES) of the pool without each ballot.
    """

    p: float
    p_up: float | None
    weights: tuple[float, ...]
    outliers: tuple[str, ...]
    without: tuple[float, ...]


@dataclass(frozen=True)
class PanelResult:
    """The ballots, the reason of each abstention, and the pool: stored, scored and published.

    `asked_at` is the unix second of the question, `as_of` that of the last bar behind it.
    """

    question: Question
    asked_at: int
    as_of: int
    ballots: tuple[Ballot, ...]
    abstained: dict[str, str]
    pool: Pooled


ReasonCode = Literal["expected_move", "distance", "correlation", "closed", "reached"]

# A sentence may have several forms; the first one that has all values is written.
TEMPLATES: tuple[tuple[ReasonCode, str], ...] = (
    (
        "expected_move",
        "From {driver}: one sigma until the deadline is {sigma_pct}% for {asset} (by its 180 days {usual_sigma_pct}%).",
    ),
    ("distance", "{level} is {level_pct}% away, {sigmas} sigma."),
    ("distance", "{level} is {level_pct}% away."),
    ("correlation", "The correlation of hourly returns is {correlation}."),
    ("closed", "The market of {asset} is closed until the deadline, so the price stays at {price}."),
    ("reached", "{asset} is already at {price}; the level is {level}."),
    ("reached", "{asset} is at {price}, so {level} has already been reached."),  # in older votes
)
WORDS = {"driver": r"[a-zA-Z][^:.]*", "asset": r"[a-z0-9]+"}
FIELD = re.compile(r"{(\w+)}")  # of a template
NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"


@dataclass(frozen=True)
class Reason:
    """One fact behind a vote: its `code`, and the values that its sentence has.

    `driver` is what the voter looks at. `values` are `sigma_pct`, the size of a move until the deadline that it expects
    of the `asset`, beside the usual one (`usual_sigma_pct`); how far a `level` is from the price (`level_pct`, and in
    `sigmas`); the `correlation` of two assets; the `price` of a market that is closed or that has reached the `level`.
    """

    code: ReasonCode
    driver: str | None
    asset: str | None
    values: dict[str, float]


def sentence(code: ReasonCode, **values: str) -> str:
    template = next(text for name, text in TEMPLATES if name == code and set(FIELD.findall(text)) <= values.keys())
    return template.format(**values)


@lru_cache(maxsize=4096)  # the votes of a few hundred markets, of which each request shows many
def reasons_of(reasoning: str) -> tuple[Reason, ...]:
    """The facts that a vote's sentences say; none for the free text of a language model."""
    reasons, place = [], 0
    while place < len(reasoning):
        for code, form in _forms():
            if match := form.match(reasoning, place):
                parts, place = match.groupdict(), match.end()
                values = {name: float(number.replace(",", "")) for name, number in parts.items() if name not in WORDS}
                reasons.append(Reason(code, parts.get("driver"), parts.get("asset"), values))
                break
        else:
            return ()
    return tuple(reasons)


@cache
def _forms() -> tuple[tuple[ReasonCode, re.Pattern[str]], ...]:
    """The templates as patterns, each with the space after its sentence."""
    forms: list[tuple[ReasonCode, re.Pattern[str]]] = []
    for code, template in TEMPLATES:
        words = [
            f"(?P<{part}>{WORDS.get(part, NUMBER)})" if place % 2 else re.escape(part)
            for place, part in enumerate(FIELD.split(template))
        ]
        forms.append((code, re.compile(f"{''.join(words)}(?: |$)")))
    return tuple(forms)
