"""Questions and how they are understood: every line of `cases/*.txt` is a requirement.

A line is `question => reading`. A reading is `asset comparator level side deadline`, for example
`btc touch_above 120000 bull 2026-12-31`, with

* `not` before the comparator of a negated question, `eth>btc` for one asset against another;
* `90000..100000` for a range, `(-10%)` for a move in percent, `3d` for days and `3d-row` for days in a row;
* `both` or `either` before two events of two assets, `either btc up & eth touch_below 1500`;
* `2026-11-30>` after the event for the earlier instant of a comparison of two;
* a deadline as a day (its last second), a minute (`2026-12-31T17:00`) or from now (`+7d`, `+90m`).

`refused not_a_market_question` or `refused invalid_question`, with a word of the reason after it, is a refusal.
A `now:` line holds for the lines below it, `#` begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from service.errors import InvalidRequest
from service.questions import Circumstances, understand
from tests.questions.asking import HISTORY, NOW, RATES, SPOTS, meaning

FILES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
LEVELS = r"(?: (?P<level>[\d.]+?)(?:\.\.(?P<upper>[\d.]+))?)?(?: \((?P<pct>[-\d.]+)%\))?"
DAYS = r"(?: (?P<days>\d+)d(?P<row>-row)?)?(?: (?P<earlier>\S+)>)?"
EVENT = rf"(?P<negated>not )?(?P<comparator>\w+){LEVELS}{DAYS}"
READING = re.compile(rf"(?P<asset>\w+)(?:>(?P<other>\w+))? {EVENT} (?P<side>bull|bear|none) (?P<deadline>\S+)")
LEG = rf"(?P<asset>\w+) {EVENT}"
PAIR = re.compile(
    r"(?P<negated>not )?(?P<comparator>both|either) (?P<legs>.+) (?P<side>bull|bear|none) (?P<deadline>\S+)"
)
UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


@dataclass(frozen=True)
class Case:
    """One line of a table with the instant it is asked at."""

    question: str
    reading: str
    now: datetime
    line: str


def cases_of(file: Path) -> list[Case]:
    """The lines of a file."""
    now, cases = NOW, []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("now:"):
            now = datetime.fromisoformat(line.removeprefix("now:").strip()).replace(tzinfo=UTC)
        elif line.strip() and not line.startswith("# "):
            question, reading = line.split(" => ")
            cases.append(Case(question.strip(), reading.strip(), now, f"{file.stem}:{number}"))
    return cases


CASES = [case for file in FILES for case in cases_of(file)]


def _deadline(text: str, now: datetime) -> datetime:
    later = re.fullmatch(r"\+(\d+)([mhd])", text)
    if later:
        return now + int(later[1]) * UNITS[later[2]]
    if "T" in text:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    return datetime.combine(datetime.fromisoformat(text), time(23, 59, 59), UTC)


def _number(text: str | None) -> object:
    return None if text is None else pytest.approx(float(text), rel=1e-5)


def _expect_refusal(case: Case) -> None:
    _, code, *words = case.reading.split()
    with pytest.raises(InvalidRequest) as refusal:
        understand(case.question, Circumstances(case.now, SPOTS, history=HISTORY, rates=RATES))
    assert refusal.value.code == code
    assert all(word in refusal.value.detail for word in words)
    assert [error.field for error in refusal.value.errors] == ["question"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_question_is_read_as_its_line_says(file: Path):
    faults = [fault for case in cases_of(file) if (fault := _fault(case))]
    assert not faults, "\n".join(faults)


def _fault(case: Case) -> str | None:
    """What is wrong with the reading of a question; None if it is that of its line."""
    try:
        _expect(case)
    except (AssertionError, InvalidRequest, pytest.fail.Exception) as error:
        return f"{case.line} {case.question} => {case.reading}: {error!r}"
    return None


def _expect(case: Case) -> None:
    if case.reading.startswith("refused"):
        _expect_refusal(case)
        return
    if pair := PAIR.fullmatch(case.reading):
        _expect_pair(case, pair)
        return
    row = READING.fullmatch(case.reading)
    assert row, f"the table's own line is wrong: {case.reading}"
    question = understand(case.question, Circumstances(case.now, SPOTS, history=HISTORY, rates=RATES))
    assert (question.asset, question.other_asset) == (row["asset"], row["other"])
    assert (question.comparator, question.negated, question.polarity) == (
        row["comparator"],
        bool(row["negated"]),
        row["side"],
    )
    assert question.level == _number(row["level"])
    assert question.upper_level == _number(row["upper"])
    assert question.level_pct == _number(row["pct"])
    assert (question.days, question.in_a_row) == (
        int(row["days"]) if row["days"] else None,
        bool(row["row"]),
    )
    assert question.earlier == (row["earlier"] and _deadline(row["earlier"], case.now))
    assert question.deadline == _deadline(row["deadline"], case.now)
    assert question.horizon_hours == pytest.approx((question.deadline - case.now) / timedelta(hours=1))
    assert question.spot == SPOTS[question.asset]


def _expect_pair(case: Case, row: re.Match[str]) -> None:
    question = understand(case.question, Circumstances(case.now, SPOTS, history=HISTORY))
    assert (question.comparator, question.negated, question.polarity) == (
        row["comparator"],
        bool(row["negated"]),
        row["side"],
    )
    assert question.deadline == _deadline(row["deadline"], case.now)
    for leg, words in zip(question.legs, row["legs"].split(" & "), strict=True):
        event = re.fullmatch(LEG, words)
        assert event, f"the table's own line is wrong: {words}"
        assert (leg.asset, leg.comparator, leg.negated) == (event["asset"], event["comparator"], bool(event["negated"]))
        assert leg.level == _number(event["level"])
        assert leg.level_pct == _number(event["pct"])
        assert leg.spot == SPOTS[leg.asset]
    assert question.assets == tuple(leg.asset for leg in question.legs)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_canonical_question_asks_the_same(file: Path):
    """The sentence that the voters get is understood as the same question: every field of its meaning is equal."""
    for case in cases_of(file):
        if not case.reading.startswith("refused"):
            question = understand(case.question, Circumstances(case.now, SPOTS, history=HISTORY, rates=RATES))
            assert meaning(understand(question.canonical, Circumstances(case.now, SPOTS, history=HISTORY))) == meaning(
                question
            )
