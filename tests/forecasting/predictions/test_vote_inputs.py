"""The inputs of votes as they are published: the text that was hashed, byte for byte."""

from __future__ import annotations

import json

from service.forecasting.predictions.vote_inputs import VoteInputs, by_voter, features_json, row_json
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.inputs import WINDOW

BODY = '{"contexts":{"btc":{"spot":0.10}},"fits":null}'
ROW = VoteInputs("ab" * 32, 1_795_262_400, "btc", BODY)


def test_the_inputs_are_the_hashed_text():
    """A parsed and rewritten 0.10 would be 0.1, and have another hash."""
    assert row_json(ROW).endswith(b'"asset":"btc","inputs":' + BODY.encode() + b"}")
    assert json.loads(row_json(ROW))["voted_at"] == "2026-11-21T12:00:00Z"


def test_a_page_has_a_header_and_its_rows():
    page = features_json([ROW, ROW], world="simulated", next="abc")
    document = json.loads(page)
    assert (document["count"], document["next"], document["world"], len(document["rows"])) == (2, "abc", "simulated", 2)
    assert page.count(BODY.encode()) == 2
    assert json.loads(features_json([], world="simulated", next=None))["rows"] == []


def test_every_voter_names_what_it_reads(contexts):
    """Its model the terms of a context, a language model in its seat inputs of one; the calendar is in none."""
    reads = by_voter()
    assert set(reads) == {voter.name for voter in voters()}
    assert all(set(voter.calendar) <= set(WINDOW) for voter in reads.values())
    assert not any(set(voter.inputs) & set(WINDOW) for voter in reads.values())
    assert {name for voter in reads.values() for name in voter.variance} == contexts["btc"].variance.keys()
    assert {name for voter in reads.values() for name in voter.inputs} <= contexts["btc"].inputs.keys()
    assert [name for name, voter in reads.items() if not voter.inputs] == ["news", "vol", "garch", "sv"]
