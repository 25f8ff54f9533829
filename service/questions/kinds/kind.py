"""What a kind of question says of itself; `KINDS` has an object for each, for a mirrored pair one for each side."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from service.questions.kinds.path import Path, RecordedPath, Values

if TYPE_CHECKING:
    from service.questions.question import Question

Polarity = Literal["bull", "bear", "none"]
Identity = tuple[tuple[object, ...], tuple[float, ...]]

KINDS: dict[str, Kind] = {}
# Words of the two sides, in the sentences and rules of mirrored pairs.
WORDS = {
    "above": ("above", "below"),
    "below": ("below", "above"),
    "higher": ("higher", "lower"),
    "reach": ("reach", "fall to"),
    "highest": ("highest", "lowest"),
}
# Kinds of words that compare two assets or two levels.
COMPARISONS = frozenset(
    ("outperform", "underperform", "versus", "overtake", "better", "both_of", "either_of", "neither_of")
)


class Returns(Protocol):
    """The distribution of an asset's log return."""

    def above(self, distance: float) -> float: ...

    def between(self, lower: float, upper: float) -> float: ...

    def touch(self, distance: float) -> float: ...


class Chances(Protocol):
    """The probabilities of a question's assets by a voter's distributions, of which `own` is that of the first."""

    @property
    def own(self) -> Returns: ...

    def distance(self, level: float) -> float:
        """The log return to a level in USD."""
        ...

    def more_volatile(self, volatility: float) -> float:
        """P(the realised volatility is above a share of the price a year)."""
        ...

    def above_earlier(self, instant: int) -> float:
        """P(the last price is above that at a unix second)."""
        ...

    def outperforms(self) -> float:
        """P(the asset returns more than the other one)."""
        ...

    def both(self) -> tuple[float, float, float]:
        """P(event) of each of two legs, and P(both)."""
        ...

    def on_paths(self) -> float:
        """P(event) by counting simulated paths."""
        ...


class Kind:
    """A kind of question; `names` are those of its objects, as stored: one, or the upper and the lower side."""

    names: ClassVar[tuple[str, ...]] = ()
    # The question, with "not" in the place of {no} where it is negated, or the sentences without and with negation.
    sentence: ClassVar[str | tuple[str, str]] = ""
    # The condition for YES, and the condition for YES when the question is negated; none where there is no event.
    condition: ClassVar[tuple[str, ...]] = ()
    # The event as one of two, and its negation where it has one; empty where it cannot be one of two.
    leg: ClassVar[tuple[str, ...]] = ()
    # The kinds of words that change its meaning; other such words in a question are named as left out.
    uses: ClassVar[AbstractSet[str]] = frozenset()
    # Whether YES is bullish or bearish.
    is_sided: ClassVar[bool] = True
    # Whether it depends on every price from now on, or on the present one.
    counts_from_now: ClassVar[bool] = True
    # Whether the part of the path that has passed contributes, so that the question cannot be asked again later.
    counts_past: ClassVar[bool] = True
    # Whether it may be decided before the deadline, and whether only bars without a gap decide it early.
    may_end_early: ClassVar[bool] = False
    compares_steps: ClassVar[bool] = False
    # Whether the answer says how likely a higher price is.
    asks_rise: ClassVar[bool] = False
    # What questions share that depend on each other.
    theme: str = "{name}"
    # Whether no price decides it: `condition` is the whole rule.
    is_decided_by_hand: ClassVar[bool] = False

    def __init__(self, name: str, side: int) -> None:
        self.name, self.side = name, side
        self.words = {word: sides[side < 0] for word, sides in WORDS.items()}
        self.theme = self.theme.format(name=name, **self.words)

    def __init_subclass__(cls) -> None:
        KINDS.update({name: cls(name, side) for name, side in zip(cls.names, (1, -1), strict=False)})

    @classmethod
    def of(cls, side: float) -> str:
        """The name of a side, the upper one from 0 on."""
        return cls.names[side < 0]

    def is_beyond(self, value: Values, other: Values) -> Values:
        """Whether a value is on this side of another one."""
        return value > other if self.side > 0 else value < other

    def event(self, question: Question, path: Path) -> Values:
        """Whether it takes place on the path, regardless of `negated`; one half where the path does not tell."""
        raise NotImplementedError

    def probability(self, question: Question, chances: Chances) -> float:  # noqa: ARG002
        """P(event)."""
        return chances.on_paths()

    def polarity(self, question: Question) -> Polarity:
        """The side of YES."""
        return polarity_of(self.side, question) if self.is_sided else "none"

    def evidence(self, question: Question, path: RecordedPath) -> str:
        """What a recorded path shows."""
        raise NotImplementedError

    def instants(self, question: Question, path: RecordedPath) -> Sequence[int] | None:  # noqa: ARG002
        """The unix seconds whose last prices count; None where every price until the deadline does."""
        return None

    def decided_at(self, question: Question, path: RecordedPath) -> int:  # noqa: ARG002
        """The step at which it is decided; the number of steps where none does."""
        return path.steps

    def level(self, question: Question) -> float | None:
        """The level that the present price is compared with."""
        return question.level

    def asked_again(self, question: Question) -> Question:
        """The same event, whatever the present price is."""
        return question

    def identity(self, question: Question) -> Identity:
        """The event but for its levels, and the levels; nearly identical questions have the same event."""
        size = () if question.level_pct is None else (question.spot * (1 + question.size),)
        event = (self.name, question.asset, question.days, question.in_a_row, question.earlier)
        return event, question.levels or size


def polarity_of(side: float, question: Question) -> Polarity:
    """The side of YES of an event on a side."""
    return "bull" if (side > 0) != question.negated else "bear"
