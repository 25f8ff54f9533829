"""What apex said stays as it was said."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from service.forecasting.apex.call import Call
from service.store import apex_calls
from service.store.apex_calls import ApexCall
from tests.forecasting.apex.made import call_of


def said(at: int, p_up: float = 0.1 + 0.2, *, backfilled: bool = False) -> ApexCall:
    call = call_of(at, p_up, 61_234.56, backfilled=backfilled, oracles=0.51, market=0.6)
    return ApexCall(at, p_up, backfilled, call.to_plain())


def keep(database, *calls: ApexCall) -> None:
    with database.writing() as db:
        apex_calls.add(db, list(calls))


def every(database) -> list[ApexCall]:
    with database.reading() as db:
        return apex_calls.every(db)


def latest(database) -> ApexCall | None:
    with database.reading() as db:
        return apex_calls.latest(db)


def test_a_call_comes_back_whole(database):
    """With every layer, spoken or silent."""
    keep(database, said(14_400))
    (found,) = every(database)
    assert (found.at, found.p_up, found.backfilled) == (14_400, 0.1 + 0.2, False)
    assert Call.from_plain(found.body) == Call.from_plain(said(14_400).body)


def test_before_the_first_there_is_none(database):
    keep(database)
    assert latest(database) is None
    assert every(database) == []


def test_the_oldest_comes_first_and_the_last_is_the_latest(database):
    keep(database, *(said(at) for at in (28_800, 14_400, 43_200)))
    assert [call.at for call in every(database)] == [14_400, 28_800, 43_200]
    assert latest(database).at == 43_200


def test_what_was_said_at_an_instant_stays(database):
    """Another call of the same instant is dropped, and those beside it are kept."""
    keep(database, said(14_400, 0.6))
    keep(database, said(14_400, 0.4), said(28_800, 0.7))
    assert [call.p_up for call in every(database)] == [0.6, 0.7]


def test_backfilled_and_live_calls_are_told_apart(database):
    keep(database, said(14_400, backfilled=True), said(28_800))
    assert [call.backfilled for call in every(database)] == [True, False]
    assert [call.body["backfilled"] for call in every(database)] == [True, False]


def test_a_call_that_holds_no_number_is_refused(database):
    broken = Call.from_plain(said(14_400).body)
    body = replace(broken, confidence=math.nan).to_plain()
    with database.writing() as db, pytest.raises(ValueError):
        apex_calls.add(db, [ApexCall(14_400, 0.5, False, body)])
    assert every(database) == []
