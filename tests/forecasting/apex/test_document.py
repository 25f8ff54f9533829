"""The published status of apex."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from pydantic import TypeAdapter

from service.documents import DocumentHeader
from service.forecasting.apex.call import Thresholds, fuse
from service.forecasting.apex.document import ApexDocument, apex_document, calls_document
from service.forecasting.apex.layers import NetView
from service.forecasting.apex.scores import ResolvedCall, score
from service.forecasting.voters.track_record import BandRecord
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, iso
from tests.forecasting.made import FITTED_TIME, NOW, call_of, inputs_of

HEADER = DocumentHeader(iso(NOW), iso(NOW), iso(NOW + 900), "simulated", {"btc": "simulated"})


@pytest.fixture
def document() -> ApexDocument:
    call = fuse(inputs_of(odds_p=0.7123456, swarm=NetView(5, 2, 3)), BandRecord())
    past = [ResolvedCall(call_of(NOW - at * DAY, 0.61, backfilled=at > 2, news=0.6), True) for at in (1, 2, 3, 4, 5)]
    return apex_document(call, Thresholds(0.012345, 0.612345, 80, fixed=False), score(past), HEADER)


def test_it_begins_like_every_document_and_survives_json(document: ApexDocument):
    assert list(asdict(document))[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    assert (document.schema, document.asset, document.horizon_hours) == ("apex/1", "btc", 24)
    assert (document.called_at, document.next_at) == (iso(NOW), iso(NOW + 4 * HOUR))
    adapter = TypeAdapter(ApexDocument)
    assert adapter.validate_json(adapter.dump_json(document)) == document


def test_the_vote_and_the_special_mode_are_those_of_the_call(document: ApexDocument):
    assert document.vote.bull_probability + document.vote.bear_probability == pytest.approx(100)
    assert document.vote.bull_probability == pytest.approx(100 * document.vote.p_up, abs=0.051)
    assert (document.special_mode.active, len(document.special_mode.conditions)) == (False, 3)
    assert document.special_mode.thresholds == Thresholds(0.0123, 0.6123, 80, fixed=False)


def test_every_layer_has_a_vote_or_a_reason(document: ApexDocument):
    assert len(document.layers) == 8
    for layer in document.layers:
        assert (layer.p_up is None) == (layer.direction is None) == (layer.silent is not None)
    market = next(layer for layer in document.layers if layer.name == "market")
    assert (market.p_up, market.direction, market.weight) == (0.7123, "BULLISH", 0.5)


def test_every_layer_and_the_vote_have_both_books(document: ApexDocument):
    assert [(book.backfilled, book.n) for book in document.record] == [(False, 2), (True, 3)]
    for layer in document.layers:
        assert [book.backfilled for book in layer.accuracy] == [False, True]
    assert document.record[0].brier == 0.1521
    assert document.record[0].accuracy == 0.3916


def test_a_layer_says_whether_it_is_in_sample():
    call = fuse(inputs_of(at=FITTED_TIME), BandRecord())
    layers = apex_document(call, Thresholds(), score([]), HEADER).layers
    assert {layer.name for layer in layers if layer.in_sample} == {"breadth", "regime"}


CALLED = 1_795_262_400  # 2026-11-21T12:00:00Z


def hourly(final: float) -> Bars:
    """Three days of hours around the call at 100, and `final` in the last hour of its day."""
    time = np.arange(CALLED - DAY, CALLED + 2 * DAY, HOUR)
    close = np.where(time == CALLED + DAY - HOUR, final, 100.0)
    return Bars(time, close, close, close, close, close, HOUR)


def outcomes(final: float, now: int) -> list[str | None]:
    calls = [call_of(CALLED, 0.61)]
    return [call.outcome for call in calls_document(calls, hourly(final), now, world="simulated", next=None).calls]


def test_a_call_is_decided_a_day_later():
    assert outcomes(101.0, CALLED + DAY - 1) == [None]
    assert [outcomes(final, CALLED + DAY + HOUR) for final in (101.0, 100.0, 99.0)] == [["yes"], ["no"], ["no"]]


def test_a_call_is_shown_as_it_was_made():
    call = call_of(CALLED, 0.123456, spot=64_000.0, backfilled=True, news=0.2)
    page = calls_document([call], hourly(100.0), CALLED, world="simulated", next="abc")
    (shown,) = page.calls
    assert (page.schema, page.count, page.next) == ("apex-calls/1", 1, "abc")
    assert (shown.called_at, shown.resolves_at) == ("2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z")
    assert (shown.spot, shown.p_up, shown.direction, shown.backfilled) == (64_000.0, 0.1235, "BEARISH", True)
    assert len(shown.layers) == len(call.layers)
