"""Why an embedded voter votes as it does: each fact is an English sentence and data that says it in any language.

A vote is recorded with its sentences alone, so the data is read back from them: each sentence has one template.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

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
    ("reached", "{asset} is at {price}, so {level} has already been reached."),
)
WORDS = {"driver": r"[a-zA-Z][^:.]*", "asset": r"[a-z0-9]+"}
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
    """The English sentence of a fact."""
    template = next(text for name, text in TEMPLATES if name == code and set(_names(text)) <= values.keys())
    return template.format(**values)


@lru_cache(maxsize=4096)  # the votes of a few hundred markets, of which each request shows many
def reasons_of(reasoning: str) -> tuple[Reason, ...]:
    """The facts that a vote's sentences say; none for the free text of a language model."""
    reasons, place = [], 0
    while place < len(reasoning):
        matches = (_match(code, form, reasoning, place) for code, form in _forms())
        pair = next((match for match in matches if match is not None), None)
        if pair is None:
            return ()
        reason, place = pair
        reasons.append(reason)
    return tuple(reasons)


def _match(code: ReasonCode, form: re.Pattern[str], text: str, place: int) -> tuple[Reason, int] | None:
    match = form.match(text, place)
    if match is None:
        return None
    parts = match.groupdict()
    values = {name: float(number.replace(",", "")) for name, number in parts.items() if name not in WORDS}
    return Reason(code, parts.get("driver"), parts.get("asset"), values), match.end()


def _names(template: str) -> list[str]:
    return re.findall(r"{(\w+)}", template)


@cache
def _forms() -> tuple[tuple[ReasonCode, re.Pattern[str]], ...]:
    """The templates as patterns, each with the space after its sentence."""
    return tuple((code, re.compile(_pattern(template))) for code, template in TEMPLATES)


def _pattern(template: str) -> str:
    parts = re.split(r"{(\w+)}", template)
    words = [
        f"(?P<{part}>{WORDS.get(part, NUMBER)})" if place % 2 else re.escape(part) for place, part in enumerate(parts)
    ]
    return f"{''.join(words)}(?: |$)"
