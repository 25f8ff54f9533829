"""A challenge is created, voted on by callers, and read while it is open and after."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.forecasting.predictions import Prediction
from service.ledger.commitments import text_hash
from service.market.instants import DAY, HOUR
from service.market.prices import ASSUMED_RATES
from service.store import keys, ledger, predictions, quotas, snapshots
from service.store.database import Database
from service.store.idempotency import HELD_S
from tests.api.conftest import NOON, Wall
from tests.api.interrupted import outages_at_each_step
from tests.api.opened import NAMES, SPOTS, commitment, let_vote, market, settle, tell_list, tell_prices
from tests.api.web import SECRET, refusal_of

CREATE = "/api/challenges/create"
ACTIVE = "/api/challenges/active"
MARKET = "/api/v1/predictions/challenge-1"
QUESTION = "Will Bitcoin be above 60,000 USD?"
TODAY = date(2027, 1, 15)
DEADLINE = "2027-02-14"


@pytest.fixture
def app(make_app: Callable[..., Flask], database: Database) -> Flask:
    """The application over a database of each kind, with prices in it."""
    tell_prices(database)
    return make_app(database)


@pytest.fixture
def create(call) -> Callable[..., TestResponse]:
    def create(question: object = QUESTION, deadline: object = DEADLINE, **options) -> TestResponse:
        return call("POST", CREATE, json={"question": question, "deadline": deadline}, **options)

    return create


def stored(database: Database) -> Prediction:
    """The first challenge."""
    with database.reading() as db:
        return predictions.find_challenge(db, 1)


class TestCreating:
    def test_a_challenge_is_answered_whole_with_its_votes_pending(self, create, api_key: str):
        answer = create(key=api_key)
        assert (answer.status_code, answer.mimetype) == (200, "application/json")
        body = answer.json
        expected = {"id": "challenge-1", "number": 1, "category": "challenge", "status": "open", "backfilled": False}
        expected |= {"question": QUESTION, "asset": "btc", "deadline": f"{DEADLINE}T23:59:59Z"}
        expected |= {"votes_pending": True, "ai_votes": {}, "apex": None, "ai": None}
        assert body | expected == body
        assert body["user_votes"] == {"yes": 0, "no": 0, "total": 0, "yes_pct": None}
        assert body["understood"]["comparator"] == "close_above"
        assert (body["context"]["price"], body["context"]["change_24h_pct"]) == (SPOTS["btc"], 2.0)
        assert body["context"]["distance_pct"] == pytest.approx(20)

    def test_it_is_created_kept_and_charged_in_one_step(self, create, database, wall: Wall):
        """Whichever transaction an outage or a kill begins with: a retry gets the one challenge, for one of three."""

        def attempt(retry_key: str) -> TestResponse:
            return create(address=f"198.51.100.{retry_key[-1]}", headers={"Idempotency-Key": retry_key})

        for number, retry_key in enumerate(outages_at_each_step(database, attempt), 1):
            wall.time += HELD_S
            assert attempt(retry_key).json["number"] == number
            with database.writing() as db:
                quotas.release_expired(db, wall.time + quotas.LEASE_S)
                window = quotas.open_window(db, f"challenges:address:198.51.100.{number}", wall.time)
                assert (predictions.next_challenge_number(db), window.hits) == (number + 1, 1)
        assert number > 3

    def test_its_level_may_be_in_another_currency(self, create, database):
        with database.writing() as db:
            snapshots.publish(db, NOON, {snapshots.RATES: dict(ASSUMED_RATES)})
        body = create("Will Bitcoin be above 50,000 euros?").json
        assert body["understood"]["level"] == pytest.approx(54_200)
        assert "54,200 USD" in body["resolution"]["rule"]

    def test_it_is_then_among_the_open_ones(self, create, call, check_schema, api_key: str):
        challenges = [create().json, create("Will the SEC approve a Solana ETF?", key=api_key).json]
        page = call("GET", ACTIVE).json
        check_schema(ACTIVE, page)
        assert (page["schema"], page["count"], page["world"]) == ("challenges/1", 2, "simulated")
        assert page["challenges"] == challenges[::-1]

    def test_it_has_an_address_by_its_number_and_by_its_id(self, create, call, check_schema):
        """Both are those of the contract; fields and votes are those of the market's own address."""
        challenge = create().json
        for address in ("/api/challenges/1", "/api/challenges/challenge-1"):
            assert call("GET", address).json == challenge
        assert challenge.items() <= call("GET", MARKET).json.items()
        check_schema("/api/challenges/{number}", challenge)
        assert call("POST", "/api/challenges/1/vote", json={"vote": "yes"}).json["user_votes"]["yes"] == 1
        assert call("GET", MARKET).json["user_votes"]["yes"] == 1
        assert [call("GET", f"/api/challenges/{name}").status_code for name in ("2", "x", "daily-btc")] == [404] * 3

    @pytest.mark.parametrize(
        "text", [f"Call Ann Doe, 555 0100. {QUESTION}", "Will the SEC approve a Solana ETF for Ann Doe?"]
    )
    def test_the_ledger_has_a_hash_of_a_text(self, create, database, api_key: str, text: str):
        """Whoever has the text and the salt that is record with it can verify the hash."""
        body = create(text, key=api_key).json
        record = stored(database)
        with database.reading() as db:
            (entry,) = ledger.entries(db, 1, 10)
        assert (entry.kind, entry.subject, entry.backfilled) == ("question", "challenge-1", False)
        assert body["question"] == record.question.text
        assert "Ann" in body["question"]
        assert entry.body["question"]["text"] == text_hash(body["question"], record.salt)
        assert "Ann" not in str(entry)
        assert {"rule", "deadline", "resolver", "created_at"} <= entry.body.keys()

    def test_without_a_key_only_what_is_understood_is_kept(self, create, database):
        """A text that nobody answers for is not shown to others."""
        body = create(f"Call Ann Doe, 555 0100. {QUESTION}").json
        assert body["question"] == body["understood"]["canonical"]
        with database.reading() as db:
            assert "Ann" not in str(predictions.find_challenge(db, 1)) + str(ledger.entries(db, 1, 10))
        assert refusal_of(create("Will the SEC approve a Solana ETF for Ann Doe?")) == (401, "missing_api_key")

    def test_its_creator_is_stored_and_never_published(self, create, call, database):
        with database.writing() as db:
            key, _ = keys.register_key(db, SECRET, "bot@example.com", NOON, delegating=True)
        creation = create(key=key, headers={"X-End-User": "alice-of-the-tests"})
        answers = creation, call("GET", ACTIVE), call("GET", MARKET)
        with database.reading() as db:
            body = "".join(answer.text for answer in answers) + str(ledger.entries(db, 1, 10))
        assert stored(database).author.endswith(":alice-of-the-tests")
        assert "alice" not in body
        assert "author" not in body

    def test_many_at_once_get_numbers_of_their_own(self, create):
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda n: create(address=f"203.0.113.{n}"), range(8)))
        assert sorted((answer.status_code, answer.json["number"]) for answer in answers) == [
            (200, number) for number in range(1, 9)
        ]

    def test_refused_questions_are_limited_by_the_minute(self, create):
        """They cost no challenge of the day."""
        assert [create("best pizza in Rome").status_code for _ in range(61)] == [400] * 60 + [429]

    def test_before_the_first_prices_it_is_unavailable_and_free(self, make_app, sqlite):
        client = make_app(sqlite).test_client()
        refusal = client.post(CREATE, json={"question": QUESTION, "deadline": DEADLINE})
        assert (*refusal_of(refusal), refusal.headers["X-RateLimit-Remaining"]) == (503, "unavailable", "3")
        assert client.get(ACTIVE).json["challenges"] == []


class TestTheLimit:
    def test_a_fourth_on_one_day_is_refused_until_midnight(self, create, wall: Wall):
        assert [create().status_code for _ in range(3)] == [200] * 3
        refusal = create()
        assert (*refusal_of(refusal), refusal.json["limit"]) == (429, "rate_limited", 3)
        assert refusal.headers["Retry-After"] == str(12 * HOUR)
        wall.time = NOON + 12 * HOUR
        assert create().status_code == 200

    @pytest.mark.parametrize(
        ("question", "deadline"), [("Will it rain in Berlin?", DEADLINE), (QUESTION, "2027-01-14"), (QUESTION, "soon")]
    )
    def test_a_refused_question_costs_nothing(self, create, question: str, deadline: str):
        for _ in range(4):
            assert create(question, deadline).status_code == 400
        assert create().headers["X-RateLimit-Remaining"] == "2"

    def test_it_is_counted_per_caller_and_not_against_the_day(self, create, api_key: str, usage):
        for caller in ({"address": "203.0.113.1"}, {"address": "203.0.113.2"}, {"key": api_key}):
            assert [create(**caller).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert usage() == 0


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        "deadline",
        [
            *(None, 20270214, "", "tomorrow", "2027-2-14", "14.02.2027", "2027-02-30", "2027-02-14T00:00:00Z"),
            *(" 2027-02-14", "٢٠٢٧-٠٢-١٤", "2027-01-14", str(TODAY + timedelta(366)), "2099-12-31"),
        ],
    )
    def test_another_deadline_than_a_date_within_a_year_by_its_field(self, create, deadline):
        refusal = create(deadline=deadline)
        assert refusal_of(refusal) == (400, "invalid_request", "deadline")
        assert refusal.json["errors"][0]["message"]

    @pytest.mark.parametrize(
        ("question", "code"),
        [
            ("Will it rain in Berlin?", "not_a_market_question"),
            ("Will Bitcoin be above 60,000 USD by 1 February 2027?", "invalid_question"),
            *((text, "invalid_request") for text in ("", "x" * 501, "Will Bitcoin\x07rise?", None, [QUESTION])),
        ],
    )
    def test_an_invalid_question_by_its_field(self, create, question, code: str):
        assert refusal_of(create(question)) == (400, code, "question")


def test_voting_closes_when_the_challenge_is_settled(create, call, database):
    create()
    call("POST", f"{MARKET}/vote", json={"vote": "no"})
    settle(database, stored(database), "yes", NOON + HOUR)
    assert call("POST", f"{MARKET}/vote", json={"vote": "yes"}).json["code"] == "voting_closed"
    body = call("GET", MARKET).json
    assert (body["user_votes"]["no"], body["status"], body["resolution"]["outcome"]) == (1, "resolved", "yes")
    assert body["resolution"]["evidence"] == "the last price was 50,500.00"
    assert call("GET", ACTIVE).json["count"] == 0


def test_the_deadline_of_an_open_challenge_is_to_come(create, call, wall: Wall):
    create(deadline=str(TODAY))
    create()
    wall.time = NOON + DAY
    assert [challenge["number"] for challenge in call("GET", ACTIVE).json["challenges"]] == [2]


def test_a_challenge_on_an_asset_without_a_price_has_no_context(create, call, database, wall: Wall):
    """It stays open when its asset has no price any more."""
    create()
    tell_prices(database, "gold", as_of=NOON + HOUR)
    wall.time += HOUR
    assert call("GET", MARKET).json["context"] is None


def test_an_ended_challenge_is_listed_without_a_key(create, call, database, check_schema):
    """It left the list of the open ones, and the public list of markets has it by its category, without votes."""
    create()
    tell_list(database)
    challenge = stored(database)
    let_vote(database, challenge, commitment(NOON + 5, names=(*NAMES, "swarm", "apex")))
    settle(database, challenge, "yes", NOON + HOUR)
    page = call("GET", "/api/v1/markets?category=challenge&status=resolved").json
    check_schema("/api/v1/markets", page)
    (entry,) = page["markets"]
    assert (entry["id"], entry["resolution"]["outcome"], entry["ai_votes"]) == ("challenge-1", "yes", {})
    assert (entry["ai"]["yes"], entry["ai"]["no"], entry["apex"]) == (10, 0, None)
    assert call("GET", "/api/v1/markets?status=resolved").json["markets"] == []
    assert call("GET", ACTIVE).json["count"] == 0


def test_the_newest_two_hundred_are_listed(call, database):
    with database.writing() as db:
        challenges = [
            market(f"challenge-{number}", category="challenge", number=number, created_at=NOON + number - 300)
            for number in range(1, 203)
        ]
        predictions.add_predictions(db, challenges)
    page = call("GET", ACTIVE).json
    assert [challenge["number"] for challenge in page["challenges"]] == list(range(202, 2, -1))
    assert page["count"] == 200
