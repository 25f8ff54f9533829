"""The published status of apex."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from pydantic import TypeAdapter

from service.documents import DocumentHeader
from service.forecasting.apex import ApexDocument, apex_document, fuse, score
from service.forecasting.apex.call import Thresholds
from service.forecasting.apex.scores import ResolvedCall
from service.forecasting.voters.track_record import BandRecord
from service.market.instants import DAY, HOUR, iso
from tests.forecasting.apex.made import FITTED_TIME, call_of, inputs_of
from tests.forecasting.made import NOW

HEADER = DocumentHeader(iso(NOW), iso(NOW), iso(NOW + 900), "simulated", {"btc": "simulated"})


@pytest.fixture
def document() -> ApexDocument:
    call = fuse(inputs_of(odds_p=0.7123456, swarm=0.3), BandRecord())
    past = [ResolvedCall(call_of(NOW - at * DAY, 0.61, backfilled=at > 2, news=0.6), True) for at in (1, 2, 3, 4, 5)]
    return apex_document(call, Thresholds(0.012345, 0.612345, 80, fixed=False), score(past), HEADER)


def test_it_begins_like_every_document_and_survives_json(document: ApexDocument):
    assert list(asdict(document))[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    assert (document.schema, document.asset, document.horizon_hours) == ("apex/1", "btc", 24)
    adapter = TypeAdapter(ApexDocument)
    assert adapter.validate_json(adapter.dump_json(document)) == document


def test_the_next_call_is_due_four_hours_later(document: ApexDocument):
    assert (document.called_at, document.next_at) == (iso(NOW), iso(NOW + 4 * HOUR))


def test_bull_and_bear_add_up_to_100(document: ApexDocument):
    assert document.vote.bull_probability + document.vote.bear_probability == pytest.approx(100)
    assert document.vote.bull_probability == pytest.approx(100 * document.vote.p_up, abs=0.051)


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


def test_the_special_mode_lists_its_conditions(document: ApexDocument):
    assert document.special_mode.active is False
    assert set(document.special_mode.conditions) == {
        "distance_exceeds_threshold",
        "agreement_reaches_threshold",
        "every_voting_layer_has_30_calls",
    }
    assert document.special_mode.thresholds == Thresholds(0.0123, 0.6123, 80, fixed=False)


def test_a_layer_says_whether_it_is_in_sample():
    call = fuse(inputs_of(at=FITTED_TIME), BandRecord())
    layers = apex_document(call, Thresholds(), score([]), HEADER).layers
    assert {layer.name for layer in layers if layer.in_sample} == {"breadth", "regime"}
