"""The words of a question that its reading does not use. They are named in a note, never ignored in silence."""

from __future__ import annotations

from collections.abc import Sequence

from service.questions.clause import Clause
from service.questions.criterion import Criterion
from service.questions.dates.roles import AMBIGUOUS
from service.questions.high_low import EXTREMES
from service.questions.kinds import KINDS
from service.questions.kinds.levels import Close, First, Touch
from service.questions.scope import names_event
from service.questions.tokens import Token
from service.questions.vocabulary import MOTIONS

UNUSED_NUMBER = "A number in the question was ignored."
UNUSED_TIME = "A date or a time in the question was ignored."
MOST_WORDS = 8
# Kinds that name a date or a time; what remains of them after the dates were read has no meaning there.
TIMES = {
    "weekday", "month", "unit", "rel", "holiday", "season", "nth", "ampm", "daypart", "clock", "eo", "iso", "date",
    "slash", "glyphdate", "stamp", "weekend", "halfyear", "shortyear", "zone", "later", "ago", "after", "early", "late",
}  # fmt: skip
# Words of these kinds that also mean something else or only stand beside a date: "2027 года", "cuma günü".
BESIDE_TIMES = AMBIGUOUS | {
    *("day", "week", "from now", "год", "года", "году", "г", "gunu", "gunune", "ayinda", "ayinin", "saat", "天", "fy"),
}
# Kinds of words that change the meaning of some readings, by `Kind.uses`, or of none; of others they are left out.
UNUSED = {"act", "other", "halfyear", "in_a_row"}
CHANGING = UNUSED.union(*(kind.uses for kind in KINDS.values()))
# Kinds after "and" that begin a second event.
SECOND = MOTIONS | {"stay", "close", "above", "below", "up", "down"}


def unused_notes(clause: Clause, criterion: Criterion, *, has_one_event: bool) -> tuple[str, ...]:
    """The notes about words, numbers and times to which no meaning was found.

    `has_one_event` if the question has one asset, one instant and no count of days.
    """
    tokens = clause.tokens
    words = [token.text for place, token in enumerate(tokens) if _is_unused(clause, place, criterion, has_one_event)]
    has_number = clause.has_unused or any(token.kind == "numword" and token.quantity not in (0, 1) for token in tokens)
    notes = {_left_out(words): bool(words), UNUSED_NUMBER: has_number, UNUSED_TIME: names_event(tokens)}
    return tuple(note for note, applies in notes.items() if applies)


def _left_out(words: Sequence[str]) -> str:
    shown = " ".join(dict.fromkeys(words[:MOST_WORDS]))
    return f"Not understood and left out: “{shown}”."


def _is_unused(clause: Clause, place: int, criterion: Criterion, has_one_event: bool) -> bool:
    token, kind = clause.tokens[place], KINDS[criterion.comparator]
    if clause.covers(place):
        return False
    if token.kind == "word":
        return len(token.text) > 1 or not token.text.isascii()
    if token.kind in TIMES:
        return token.text not in BESIDE_TIMES
    if token.kind in ("multiple", "fraction"):
        return has_one_event and criterion.level_pct is None
    if token.kind == "record":
        return bool(clause.amounts)
    if token.kind == "ordinal":
        return not isinstance(kind, First)
    if token.kind == "filler":
        return token.value == "open" or (
            token.value in (*EXTREMES, "all") and (isinstance(kind, Close) or criterion.level_pct is not None)
        )
    if token.kind == "than":
        return has_one_event and "now" not in clause.kinds
    if token.kind == "and":
        return has_one_event and criterion.comparator != "between" and _begins_event(clause.tokens[place + 1 :])
    if token.kind == "or":  # "moon or back to 1.50"
        return has_one_event and isinstance(kind, Close | Touch) and clause.tokens[place - 1].kind in ("rise", "fall")
    if token.kind == "outperform" and clause.amounts:
        return False  # "beat 95k"
    return (has_one_event or token.kind == "average") and token.kind in CHANGING and token.kind not in kind.uses


def _begins_event(tokens: Sequence[Token]) -> bool:
    """Whether a second event begins there: "and hold it", "and close below"."""
    kinds = [token.kind for token in tokens if token.kind not in ("the", "filler", "will", "a")]
    return bool(kinds) and kinds[0] in SECOND
