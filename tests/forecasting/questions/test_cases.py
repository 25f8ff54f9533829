"""What people ask and how it is read: every line of `cases/*.txt` is a requirement.

A line is `question => reading`. A reading is `asset comparator level side deadline`, for example
`btc touch_above 120000 bull 2026-12-31`, with

* `not` before the comparator of a negated question, `eth>btc` for one asset against another;
* `90000..100000` for a range, `(-10%)` after the level of a move in percent;
* a deadline as a day (its last second), a minute (`2026-12-31T17:00`) or from now (`+7d`, `+90m`).

`refused not_a_market_question` or `refused invalid_question`, with a word of the reason after it, is a refusal.
`now:` and `spots:` lines hold for the lines below them, `#` begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from service.errors import InvalidRequest
from service.forecasting.questions import Question, understand

FILES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)  # a Saturday
SPOTS = {
    "btc": 94075.9,
    "eth": 1794.58,
    "sol": 147.04,
    "bnb": 598.68,
    "xrp": 2.1929,
    "gold": 3282.8,
    "silver": 32.835,
}
READING = re.compile(
    r"(?P<asset>\w+)(?:>(?P<other>\w+))? (?P<negated>not )?(?P<comparator>\w+)"
    r"(?: (?P<level>[\d.]+?)(?:\.\.(?P<upper>[\d.]+))?)?(?: \((?P<pct>[-\d.]+)%\))? (?P<side>bull|bear) (?P<deadline>\S+)"
)


@dataclass(frozen=True)
class Case:
    """One line of a table with the world it is asked in."""

    question: str
    reading: str
    now: datetime = NOW
    spots: dict[str, float] = field(default_factory=lambda: SPOTS)


def _cases(file: Path) -> list:
    now, spots, found = NOW, SPOTS, []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("now:"):
            now = datetime.fromisoformat(line.removeprefix("now:").strip()).replace(tzinfo=UTC)
        elif line.startswith("spots:"):
            spots = {**SPOTS, **{name: float(price) for name, price in re.findall(r"(\w+)=([\d.]+)", line)}}
        elif line.strip() and not line.startswith("#"):
            question, reading = line.split(" => ")
            case = Case(question.strip(), reading.strip(), now, spots)
            found.append(pytest.param(case, id=f"{file.stem}:{number}"))
    return found


CASES = [case for file in FILES for case in _cases(file)]


def _read(case: Case) -> str | Question:
    try:
        return understand(case.question, case.now, case.spots)
    except InvalidRequest as refusal:
        return f"refused {refusal.code} {refusal.detail}"


def _deadline(text: str, now: datetime) -> datetime:
    later = re.fullmatch(r"\+(\d+)([mhd])", text)
    if later:
        return (
            now + int(later[1]) * {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}[later[2]]
        )
    if "T" in text:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    return datetime.combine(datetime.fromisoformat(text), time(23, 59, 59), UTC)


def _number(text: str | None) -> object:
    return None if text is None else pytest.approx(float(text), rel=1e-4)


@pytest.mark.parametrize("case", CASES)
def test_a_question_is_read_as_the_table_says(case: Case):
    got = _read(case)
    if case.reading.startswith("refused"):
        _, code, *words = case.reading.split()
        assert isinstance(got, str), f"{case.question!r} was read as {got}"
        assert got.startswith(f"refused {code} ")
        assert all(word in got for word in words)
        return
    want = READING.fullmatch(case.reading)
    assert want, f"the table's own line is wrong: {case.reading}"
    assert isinstance(got, Question), f"{case.question!r} was {got}"
    assert (got.asset, got.other_asset) == (want["asset"], want["other"])
    assert (got.comparator, got.negated, got.polarity) == (want["comparator"], bool(want["negated"]), want["side"])
    assert got.level == _number(want["level"])
    assert got.upper_level == _number(want["upper"])
    assert got.level_pct == _number(want["pct"])
    assert got.deadline == _deadline(want["deadline"], case.now)


def test_the_table_covers_every_comparator_and_at_least_three_hundred_questions():
    readings = [case.values[0].reading for case in CASES]
    assert len(readings) >= 300
    for comparator in Question.__annotations__ and (
        "close_above close_below touch_above touch_below between up down relative open".split()
    ):
        assert any(re.search(rf"\b{comparator}\b", reading) for reading in readings), comparator
