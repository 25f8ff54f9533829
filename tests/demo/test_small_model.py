"""A real small language model in all six seats: questions go through votes, consensus, record and settlement.

Needs the installation of `make demo-models`, which `make test` makes with CI=true.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from service.client import Client, Unavailable
from service.forecasting.voters.prompts.reading import SCHEMA, read
from service.forecasting.voters.track_record import TrackRecord
from service.sources.llm.client import LanguageModel, open_client
from service.sources.llm.modes import Modes
from service.sources.llm.providers import parse
from service.store.database import Database
from service.store.pages import RECORD, records
from tests.demo.small_model import MARKER, NAME, SEATS, small_model
from tests.demo.tour import PRICE_QUESTION, DemoService, demo_service, fed_question
from tests.processes import free_port

pytestmark = pytest.mark.slow

ENGINE = f"custom:{NAME}"
BRAINS = {"vol", "garch", "sv"}
# On a busy machine too few votes may come in time: a topic is then refused, a price has embedded votes instead.
TRIES = 3
PRICE_QUESTIONS = (PRICE_QUESTION, "Will Ether rise this week?", "Will Solana rise this week?")


@pytest.fixture(scope="module")
def model_url() -> Iterator[str]:
    assert MARKER.exists(), "make demo-models installs the small model"
    with small_model() as url:
        yield url


@pytest.fixture(scope="module")
def service(model_url: str, tmp_path_factory) -> Iterator[DemoService]:
    with demo_service(model_url, tmp_path_factory.mktemp("service"), free_port()) as running:
        yield running


@pytest.fixture(scope="module")
def client(service: DemoService) -> Iterator[Client]:
    with Client(service.address) as stranger:
        key = stranger.register("reader@example.com")["api_key"]
    with Client(service.address, key, timeout_s=150) as client:
        yield client


def engines(answer: dict) -> set[str]:
    return {vote["engine"] for vote in answer["votes"].values()}


def ask(client: Client, question: str) -> dict:
    for _ in range(TRIES - 1):
        try:
            return client.ask(question)
        except Unavailable:
            continue
    return client.ask(question)


def test_the_server_holds_its_model_to_the_schema(model_url: str):
    """It takes the strictest mode at once, and counts tokens."""
    with open_client(model_url, "") as client:
        model = LanguageModel(parse(NAME, model_url), client, Modes())
        completion = model.complete("You are a forecaster.", "Will it rain?", SCHEMA, time.monotonic() + 60)
    assert completion.mode == "json_schema"
    assert 0.01 <= read(completion.text).p <= 0.99
    assert completion.tokens > 1


def test_the_models_vote_on_a_price_beside_the_brains(client: Client):
    for question in PRICE_QUESTIONS:
        answer = client.ask(question)
        assert set(answer["votes"]) == BRAINS | {seat.lower() for seat in SEATS}
        assert 0 < answer["p_yes"] < 1
        if ENGINE in engines(answer):
            break
    assert ENGINE in engines(answer)


def test_the_operator_settles_what_the_models_voted_on(client: Client, service: DemoService):
    """The brains abstain on a Fed question; it is recorded, settled by hand, and scored in a band of its own."""
    answer = ask(client, fed_question())
    assert engines(answer) == {ENGINE}
    assert set(answer["abstained"]) >= BRAINS
    assert answer["consensus"]["oracles_count"] == len(answer["votes"]) >= 3
    assert answer["understood"]["comparator"] == "topic"

    (row,) = service.operate("answers", "list")
    assert (row["id"], row["status"]) == (answer["id"], "open")
    settled = service.operate("answers", "resolve", answer["id"], "no", "--evidence", "https://www.federalreserve.gov")
    assert settled["brier"] == pytest.approx(answer["p_yes"] ** 2, abs=0.002)
    assert service.operate("answers", "list") == []
    assert {(skill.engine, skill.n) for skill in record_of(service).of_band("topic").standings} == {(ENGINE, 1)}


def record_of(service: DemoService) -> TrackRecord:
    database = Database(f"sqlite:///{service.options['DATA_DIR']}/simulated.sqlite")
    try:
        with database.reading() as db:
            return TrackRecord.from_plain(records.find(db, RECORD) or {"as_of": 0})
    finally:
        database.close()
