"""Kinds without a price of their own: two events at once, an event that no price decides, no event at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.questions.kinds.kind import COMPARISONS, Chances, Kind, Polarity, polarity_of
from service.questions.kinds.levels import Direction, Identity

if TYPE_CHECKING:
    from service.questions.question import Question


class Joint(Kind):
    """Both events of the `legs` take place, or at least one; each is decided on the path of its own asset."""

    counts_from_now = False
    counts_past = False

    def polarity(self, question: Question) -> Polarity:
        sides = {part.kind.polarity(part) for part in question.parts}
        return "none" if len(sides) > 1 else polarity_of(1 if "bull" in sides else -1, question)

    def identity(self, question: Question) -> Identity:
        events = tuple((part.asset, part.comparator) for part in question.parts)
        return (self.name, question.negated, events), tuple(leg.level or leg.spot for leg in question.legs)


class Both(Joint):
    """The events of both legs take place."""

    names = ("both",)
    sentence = "Will {no}both {first} and {second} by {deadline}?"

    def probability(self, question: Question, chances: Chances) -> float:  # noqa: ARG002
        _, _, joint = chances.both()
        return joint


class Either(Joint):
    """The event of at least one leg takes place."""

    names = ("either",)
    sentence = ("Will either {first} or {second} by {deadline}?", "Will neither {first} nor {second} by {deadline}?")

    def probability(self, question: Question, chances: Chances) -> float:  # noqa: ARG002
        first, second, joint = chances.both()
        return first + second - joint


class TopicKind(Kind):
    """The event that `text` states, which no price decides: its sentence is the text."""

    names = ("topic",)
    sentence = "{text}"
    condition = (
        "Resolved by hand by the operator: YES if it has happened by {deadline}, NO if not, void if that cannot be "
        "determined. Only language models vote on it.",
    )
    is_sided = False
    counts_from_now = False
    counts_past = False
    is_decided_by_hand = True


class Open(Direction):
    """No criterion was named: treated as `up`, over seven days if no date was named, and `notes` say so."""

    names = ("open",)
    sentence = "Where is {asset} heading: will it be above its present price of {spot} USD at {deadline}?"
    condition = ()
    leg = ()
    uses = COMPARISONS | {"average", "stay"}
    counts_from_now = False
    counts_past = True
    asks_rise = False

    def level(self, question: Question) -> float | None:  # noqa: ARG002
        return None
