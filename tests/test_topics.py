"""Questions that no price decides, in a whole service: language models alone vote on them."""

from __future__ import annotations

import re

import pytest

from service.forecasting.news.headline import headline, read
from service.forecasting.predictions.open_markets import resolved
from service.market.instants import HOUR
from service.store import knowledge, predictions
from tests.models import BRAINS, ENGINES, messages, seats
from tests.sources.llm.model_server import answers, refuses, vote_text

pytestmark = pytest.mark.slow

FED = "Will the Fed cut rates by December 31?"


def test_the_models_vote_and_the_brains_say_why_they_do_not(build_service, servers):
    for place, server in enumerate(servers.values()):
        server.behaviours = [answers(vote_text(20 + place))]
    answer = build_service(**seats(servers)).ask(FED).get_json()
    assert {name: vote["engine"] for name, vote in answer["votes"].items()} == ENGINES
    assert answer["abstained"].keys() == set(BRAINS)
    assert {reason.partition(",")[0] for reason in answer["abstained"].values()} == {"no price decides this question"}
    assert answer["consensus"]["oracles_count"] == 6
    assert 0.2 <= answer["p_yes"] <= 0.25
    understood = answer["understood"]
    assert (understood["comparator"], understood["polarity"], understood["level"]) == ("topic", "none", None)
    assert understood["canonical"] == FED


def test_an_understood_topic_is_asked_again_as_it_came(build_service, servers):
    """The document of an answer, with the language of its text and without other readings, is a question too."""
    running = build_service(**seats(servers))
    understood = running.ask(FED).get_json()["understood"]
    assert (understood["language"], understood["alternatives"]) == ("English", [])
    assert understood["rule"].startswith("Resolved by hand by the operator")
    body = {"understood": understood}
    again = running.client.post("/api/v1/oracle", json=body, headers={"X-API-Key": running.key}).get_json()
    assert again["understood"] == understood


def test_models_see_matching_headlines_and_what_is_scheduled(build_service, servers, tmp_path):
    """All six the same, and no price; what is scheduled after the deadline is left out."""
    calendar = tmp_path / "events.csv"
    calendar.write_text("time,event\n2026-12-09T19:00:00Z,Fed: decision on rates\n2027-01-27,Fed: another one\n")
    running = build_service(**seats(servers), events_file=calendar)
    now = running.runtime.world.clock.at(running.wall)
    with running.runtime.database.writing() as db:
        knowledge.add_headlines(db, read([headline("Fed chair sees no hurry", "desk", now - HOUR)]))
    running.ask(FED)
    prompts = {str(messages(server.requests[0])).replace(nonce_of(server), "") for server in servers.values()}
    assert len(prompts) == 1
    _, user = messages(servers["trend"].requests[0])
    assert "- 2026-12-09 19:00: Fed: decision on rates\n" in user
    assert "1 h, desk: Fed chair sees no hurry\n" in user
    assert "another one" not in user
    assert "USD" not in user


def nonce_of(server) -> str:
    """The random mark of the only request."""
    _, user = messages(server.requests[0])
    return re.search(r"^begin (\S+)$", user, re.MULTILINE)[1]


def test_a_failed_model_abstains_on_a_topic(build_service, servers):
    """Its embedded engine forecasts prices, so it is no fallback; three votes are enough."""
    failing = list(ENGINES)[:3]
    for name in failing:
        servers[name].behaviours = [refuses(500)]
    answer = build_service(**seats(servers)).ask(FED).get_json()
    assert answer["votes"].keys() == set(ENGINES) - set(failing)
    assert all("failed (500)" in answer["abstained"][name] for name in failing)


def test_prices_do_not_settle_a_topic(build_service, servers):
    """After its deadline the answer still waits for the operator, and nothing is scored."""
    running = build_service(**seats(servers))
    id = running.ask("Will the Fed cut rates by November 23?").get_json()["id"]
    running.move(3 * 86_400)
    with running.runtime.database.reading() as db:
        assert [answer.id for answer in predictions.answers_by_hand(db)] == [id]
        assert "topic" not in {question.band for question in resolved(predictions.settled_predictions(db))}


def test_a_challenge_on_a_topic_has_the_votes_of_models_alone(build_service, servers):
    running = build_service(**seats(servers))
    body = {"question": "Will the Fed cut rates?", "deadline": "2026-12-31"}
    headers = {"X-API-Key": running.key}
    number = running.client.post("/api/challenges/create", json=body, headers=headers).get_json()["number"]
    running.move(2)
    shown = running.client.get(f"/api/v1/predictions/challenge-{number}").get_json()
    assert {name: vote["engine"] for name, vote in shown["ai_votes"].items()} == ENGINES
    assert (shown["apex"], shown["votes_pending"], shown["resolution"]["source"]) == (None, False, "hand")
    assert shown["ai"]["p_yes"] is not None
