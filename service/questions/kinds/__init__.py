"""The kinds of questions: each says how it is asked, which rule decides it, and whether it takes place on a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from service.questions.kinds import levels, paths, references  # noqa: F401  # each kind enters KINDS
from service.questions.kinds.kind import KINDS, Chances, Kind, Polarity

if TYPE_CHECKING:
    Comparator = str
    LegComparator = str
else:
    Comparator = Literal[*KINDS]
    LegComparator = Literal[*(name for name, kind in KINDS.items() if kind.leg)]

__all__ = ["KINDS", "Chances", "Comparator", "Kind", "LegComparator", "Polarity"]
