"""One person cannot use up the limits that all share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot import throttling
from bot.throttling import UPDATES, WINDOW, Throttle

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN, BEN = 1, 2


def excesses(throttle: Throttle, count: int, begin: datetime = NOON, person: int = ANN) -> list[int]:
    """The excess of each of `count` updates, a second apart."""
    return [throttle.excess(person, begin + timedelta(seconds=second)) for second in range(count)]


def test_the_first_update_beyond_the_limit_is_told_apart():
    """It is answered with a notice, those after it with nothing."""
    assert excesses(Throttle(), UPDATES + 3) == [0] * UPDATES + [1, 2, 2]


def test_a_minute_later_the_person_can_go_on():
    """The updates that were not answered do not count, however many there were."""
    throttle = Throttle()
    excesses(throttle, UPDATES + 20)
    assert throttle.excess(ANN, NOON + WINDOW + timedelta(seconds=1)) == 0


def test_updates_leave_the_window_one_by_one():
    throttle = Throttle()
    excesses(throttle, UPDATES)
    assert excesses(throttle, 2, NOON + WINDOW) == [0, 0]
    assert throttle.excess(ANN, NOON + WINDOW + timedelta(seconds=1)) == 1


def test_another_person_is_not_affected():
    throttle = Throttle()
    excesses(throttle, UPDATES + 5)
    assert throttle.excess(BEN, NOON) == 0


def test_only_persons_of_the_last_minute_are_remembered(monkeypatch):
    """So that strangers cannot fill the memory; who is over the limit stays over it."""
    monkeypatch.setattr(throttling, "MAX_PERSONS", 2)
    throttle = Throttle()
    throttle.excess(BEN, NOON - WINDOW)
    excesses(throttle, UPDATES + 1)
    throttle.excess(3, NOON + timedelta(seconds=40))
    assert set(throttle._instants) == {ANN, 3}
    assert throttle.excess(ANN, NOON + timedelta(seconds=40)) == 2


def test_a_person_who_is_too_fast_is_told_once(ann):
    """Then the bot is silent towards them, and answers others."""
    for _ in range(UPDATES):
        ann.says("/help")
    assert "more than I can answer" in ann.says("/help").plain
    count = len(ann.messages)
    ann.says("/help")
    assert len(ann.messages) == count
    assert ann.stage.person().says("/help")
