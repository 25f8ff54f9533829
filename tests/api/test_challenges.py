"""A challenge is created, voted on by callers, and read while it is open and after."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.market.instants import DAY, HOUR, utc
from service.market.prices import ASSUMED
from service.store import keys, ledger, predictions, snapshots
from service.store.database import Database
from tests.api.conftest import NOON, Wall
from tests.api.opened import NAMES, SPOTS, commitment, let_vote, market, settle, tell_prices

CREATE = "/api/challenges/create"
ACTIVE = "/api/challenges/active"
QUESTION = "Will Bitcoin be above 60,000 USD?"
TODAY = date(2027, 1, 15)
DEADLINE = "2027-02-14"


@pytest.fixture
def app(make_app: Callable[..., Flask], database: Database) -> Flask:
    """The application over a database of each kind, with prices in it."""
    tell_prices(database)
    return make_app(database)


@pytest.fixture
def send(app: Flask) -> Callable[..., TestResponse]:
    """One request from a caller of its own: by address, or by key and end user."""

    def send(method: str, path: str, *, address: str = "203.0.113.7", headers=(), **more) -> TestResponse:
        return app.test_client().open(
            path, method=method, headers=dict(headers), environ_base={"REMOTE_ADDR": address}, **more
        )

    return send


@pytest.fixture
def create(send) -> Callable[..., TestResponse]:
    def create(question: object = QUESTION, deadline: object = DEADLINE, **more) -> TestResponse:
        return send("POST", CREATE, json={"question": question, "deadline": deadline}, **more)

    return create


@pytest.fixture
def vote(send) -> Callable[..., TestResponse]:
    def vote(number: object, side: object = "yes", **more) -> TestResponse:
        return send("POST", f"/api/challenges/{number}/vote", json={"vote": side}, **more)

    return vote


@pytest.fixture
def delegating(database: Database) -> str:
    """A key that may call on behalf of end users."""
    with database.writing() as db:
        return keys.register_key(db, b"a secret of the tests", "bot@example.com", NOON, delegating=True)[0]


def left(answer: TestResponse) -> int:
    return int(answer.headers["X-RateLimit-Remaining"])


class TestCreating:
    def test_a_challenge_is_answered_whole_with_its_votes_pending(self, create):
        answer = create()
        assert (answer.status_code, answer.mimetype) == (200, "application/json")
        shown = answer.json
        assert (shown["id"], shown["number"], shown["category"], shown["status"]) == (
            "challenge-1",
            1,
            "challenge",
            "open",
        )
        assert (shown["question"], shown["asset"], shown["deadline"]) == (QUESTION, "btc", f"{DEADLINE}T23:59:59Z")
        assert (shown["votes_pending"], shown["ai_votes"], shown["apex"], shown["ai"]) == (True, {}, None, None)
        assert shown["understood"]["comparator"] == "close_above"
        assert shown["resolved_by"] == "prices"
        assert shown["backfilled"] is False
        assert shown["user_votes"] == {"yes": 0, "no": 0, "total": 0, "yes_pct": None}
        assert (shown["context"]["price"], shown["context"]["change_24h_pct"]) == (SPOTS["btc"], 2.0)
        assert shown["context"]["distance_pct"] == pytest.approx(20)

    def test_its_level_may_be_in_another_currency(self, create, database):
        with database.writing() as db:
            snapshots.save_rates(db, NOON, ASSUMED)
        shown = create("Will Bitcoin be above 50,000 euros?").json
        assert shown["understood"]["level"] == pytest.approx(54_200)
        assert "54,200 USD" in shown["resolution"]["rule"]

    def test_it_is_then_among_the_open_ones_and_under_its_number(self, create, send):
        created = [create().json, create("Will gold rise?").json]
        listed = send("GET", ACTIVE).json
        assert (listed["schema"], listed["count"], listed["world"]) == ("challenges/1", 2, "simulated")
        assert listed["challenges"] == created[::-1]
        assert send("GET", "/api/challenges/2").json == created[1]

    def test_it_is_found_by_its_printed_id(self, create, vote, send):
        """As by its number."""
        created = create().json
        assert send("GET", f"/api/challenges/{created['id']}").json == created
        assert vote(created["id"]).json["user_votes"]["total"] == 1

    def test_the_question_is_recorded_in_the_ledger_at_once(self, create, database):
        create()
        with database.reading() as db:
            (entry,) = ledger.entries(db, 1, 10)
        assert (entry.kind, entry.subject, entry.backfilled) == ("question", "challenge-1", False)
        assert entry.body["question"]["text"] == QUESTION
        assert {"rule", "deadline", "resolver", "created_at"} <= entry.body.keys()

    def test_its_creator_is_stored_and_never_published(self, create, send, database, delegating):
        headers = {"X-API-Key": delegating, "X-End-User": "alice-of-the-tests"}
        shown = create(headers=headers).text + send("GET", ACTIVE).text + send("GET", "/api/challenges/1").text
        with database.reading() as db:
            assert predictions.find_challenge(db, 1).author.endswith(":alice-of-the-tests")
            shown += str(ledger.entries(db, 1, 10))
        assert "alice" not in shown
        assert "author" not in shown

    def test_many_at_once_get_numbers_of_their_own(self, create):
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda n: create(address=f"203.0.113.{n}"), range(8)))
        assert [answer.status_code for answer in answers] == [200] * 8
        assert sorted(answer.json["number"] for answer in answers) == list(range(1, 9))

    def test_refused_questions_are_limited_by_the_minute(self, create):
        """They cost no challenge of the day."""
        refused = [create("best pizza in Rome").status_code for _ in range(61)]
        assert refused == [400] * 60 + [429]

    def test_before_the_first_prices_it_is_unavailable_and_costs_nothing(self, make_app, sqlite):
        client = make_app(sqlite).test_client()
        refused = client.post(CREATE, json={"question": QUESTION, "deadline": DEADLINE})
        assert (refused.status_code, refused.json["code"]) == (503, "unavailable")
        assert left(refused) == 3
        assert client.get(ACTIVE).json["challenges"] == []


class TestTheLimit:
    def test_a_fourth_on_one_day_is_refused_until_midnight(self, create, wall: Wall):
        assert [create().status_code for _ in range(3)] == [200] * 3
        refused = create()
        assert (refused.status_code, refused.json["code"], refused.json["limit"]) == (429, "rate_limited", 3)
        assert refused.headers["Retry-After"] == str(12 * HOUR)
        wall.time = NOON + 12 * HOUR
        assert create().status_code == 200

    @pytest.mark.parametrize(
        ("question", "deadline"), [("Will it rain in Berlin?", DEADLINE), (QUESTION, "2027-01-14"), (QUESTION, "soon")]
    )
    def test_a_refused_question_costs_nothing(self, create, question: str, deadline: str):
        for _ in range(4):
            assert create(question, deadline).status_code == 400
        assert left(create()) == 2

    def test_it_is_counted_per_caller(self, create, api_key):
        for caller in ({"address": "203.0.113.1"}, {"address": "203.0.113.2"}, {"headers": {"X-API-Key": api_key}}):
            assert [create(**caller).status_code for _ in range(4)] == [200, 200, 200, 429]

    def test_it_leaves_the_daily_quota_alone(self, create, send, api_key):
        create(headers={"X-API-Key": api_key})
        assert send("GET", "/api/v1/me", headers={"X-API-Key": api_key}).json["used"] == 0


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        "deadline",
        [
            None,
            20270214,
            "",
            "tomorrow",
            "2027-2-14",
            "14.02.2027",
            "2027-02-30",
            "2027-02-14T00:00:00Z",
            " 2027-02-14",
            "٢٠٢٧-٠٢-١٤",
            "2027-01-14",
            str(TODAY + timedelta(366)),
            "2099-12-31",
        ],
    )
    def test_another_deadline_than_a_date_within_a_year_by_its_field(self, create, deadline):
        refused = create(deadline=deadline)
        assert (refused.status_code, refused.json["code"]) == (400, "invalid_request")
        (error,) = refused.json["errors"]
        assert error["field"] == "deadline"
        assert error["message"]

    @pytest.mark.parametrize("days", [0, 1, 365])
    def test_not_a_deadline_from_today_to_a_year_ahead(self, create, days: int):
        assert create(deadline=str(TODAY + timedelta(days))).status_code == 200

    def test_a_deadline_today_in_the_last_hour_of_the_day(self, create, wall: Wall):
        wall.time = NOON + 11 * HOUR - 1
        assert create(deadline=str(TODAY)).status_code == 200
        wall.time = NOON + 11 * HOUR + 60
        assert create(deadline=str(TODAY)).json["errors"][0]["field"] == "deadline"

    @pytest.mark.parametrize(
        ("question", "code"),
        [
            ("Will it rain in Berlin?", "not_a_market_question"),
            ("Will Bitcoin be above 60,000 USD by 1 February 2027?", "invalid_question"),
            ("", "invalid_request"),
            ("x" * 501, "invalid_request"),
            ("Will Bitcoin rise?\x07", "invalid_request"),
            ("Will Bitcoin\nrise?", "invalid_request"),
            ("Will Bitcoin rise?\x00", "invalid_request"),
            (None, "invalid_request"),
            (["Will Bitcoin rise?"], "invalid_request"),
        ],
    )
    def test_an_invalid_question_by_its_field(self, create, question, code: str):
        refused = create(question)
        assert (refused.status_code, refused.json["code"]) == (400, code)
        assert "question" in {error["field"] for error in refused.json["errors"]}


class TestVoting:
    def test_a_vote_is_counted_at_once(self, create, vote, send):
        create()
        answer = vote(1)
        assert answer.json == {
            "id": "challenge-1",
            "vote": "yes",
            "voted_at": "2027-01-15T12:00:00Z",
            "user_votes": {"yes": 1, "no": 0, "total": 1, "yes_pct": 100.0},
        }
        assert send("GET", "/api/challenges/1").json["user_votes"] == answer.json["user_votes"]

    def test_it_closes_when_the_challenge_is_settled(self, create, vote, send, database):
        create()
        vote(1, "no")
        with database.reading() as db:
            challenge = predictions.find_challenge(db, 1)
        settle(database, challenge, "yes", NOON + HOUR)
        assert vote(1, "yes").json["code"] == "voting_closed"
        shown = send("GET", "/api/challenges/1").json
        assert shown["user_votes"]["no"] == 1
        assert (shown["status"], shown["resolution"]["outcome"]) == ("resolved", "yes")
        assert shown["resolution"]["evidence"] == "the last price was 50,500.00"
        assert send("GET", ACTIVE).json["count"] == 0

    @pytest.mark.parametrize(
        "number",
        [
            "0",
            "2",
            "01",
            "-1",
            "1.0",
            "1e3",
            "99999999999999999999",
            "٣",
            "%00",
            "challenge-2",
            "challenge-01",
            "active",
        ],
    )
    def test_of_another_number_there_is_none(self, create, vote, send, number: str):
        create()
        refused = vote(number)
        assert (refused.status_code, refused.json["code"]) == (404, "not_found")
        if number != "active":
            assert send("GET", f"/api/challenges/{number}").status_code == 404


def test_after_voting_it_shows_the_votes_and_their_ledger_row(create, send, database):
    """Ten voters, the apex call and the row of the ledger that holds their votes."""
    create()
    with database.reading() as db:
        market = predictions.find_challenge(db, 1)
    entry = let_vote(database, market, commitment(NOON + 5, names=(*NAMES, "swarm", "apex")))
    shown = send("GET", "/api/challenges/1").json
    assert list(shown["ai_votes"]) == [*NAMES, "swarm"]
    assert shown["apex"]["p_yes"] == 0.6
    assert shown["votes_pending"] is False
    assert shown["commitment"] == {"seq": entry.seq, "hash": entry.hash}
    assert utc(NOON + 5).strftime("%Y-%m-%dT%H:%M:%SZ") in send("GET", "/api/challenges/1").text


def test_the_deadline_of_an_open_challenge_is_to_come(create, send, wall: Wall):
    create(deadline=str(TODAY))
    create()
    wall.time = NOON + DAY
    assert [challenge["number"] for challenge in send("GET", ACTIVE).json["challenges"]] == [2]


def test_the_list_is_of_the_shape_that_the_docs_describe(create, send, as_described):
    create()
    create("Will the SEC approve a Solana ETF?")
    as_described(ACTIVE, send("GET", ACTIVE).json)
    as_described("/api/challenges/{number}", send("GET", "/api/challenges/2").json)


def test_a_challenge_on_an_asset_without_a_price_has_no_context(create, send, database, wall: Wall):
    """It stays open when its asset has no price any more."""
    create()
    tell_prices(database, "gold", as_of=NOON + HOUR)
    wall.time += HOUR
    assert send("GET", "/api/challenges/1").json["context"] is None


def test_the_newest_two_hundred_are_listed(send, database):
    with database.writing() as db:
        challenges = [market(f"challenge-{number}", category="challenge", number=number) for number in range(1, 203)]
        predictions.add_predictions(db, challenges)
    listed = send("GET", ACTIVE).json
    assert [challenge["number"] for challenge in listed["challenges"]] == list(range(202, 2, -1))
    assert listed["count"] == 200
