"""The Bot Battle as JSON, as a file, and over time."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, replace

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.jobs.battle import RATE_LIMIT
from service.market.headers import header
from service.market.instants import DAY, HOUR, WorldClock, iso
from service.store import lanes as stored
from service.store import snapshots
from service.trading.battle import BattleDocument, describe, table
from service.trading.lanes import LANES
from service.trading.lanes.lane import LaneBar, LaneVote, Walk, moments
from service.trading.pools import ASSUMED_POOLS
from tests.api.opened import walk
from tests.api.web import refusal_of
from tests.trading.markets import NEW_YEAR

PATH = "/api/v1/bot-battle"
CSV = f"{PATH}/export.csv"
HISTORY = f"{PATH}/history"
END = NEW_YEAR + 59 * DAY
WEEK = 7 * DAY
# The service's bars are five minutes long; the lanes of these tests live by the hour, which a feed may bring too.
BARS_A_DAY = 24
NO_INSTANTS = ["yesterday", "1740000000", "２０２５-02-01", "2025-02-28T25:00:00Z", "2025-02-28T20:00:00.Z"]


@pytest.fixture(scope="module")
def lives(hours) -> dict[str, Walk]:
    """Two months of every lane, with a vote on bitcoin at each hour."""
    votes = {time + HOUR: {"btc": LaneVote(0.8, 0.4 + time // WEEK % 2 * 0.2)} for time in hours["btc"].time.tolist()}
    lives = {name: lane.walk(None, NEW_YEAR) for name, lane in LANES.items()}
    for moment in moments(hours, hours, NEW_YEAR, votes=votes, pools=ASSUMED_POOLS):
        for life in lives.values():
            life.step(moment)
    return lives


@pytest.fixture(scope="module")
def document(lives) -> BattleDocument:
    return describe(
        {name: life.state for name, life in lives.items()},
        dict.fromkeys(lives, 11_000.0),
        header(END, END, step=300, world="simulated", sources={"btc": "made", "pools": "assumed"}),
        RATE_LIMIT,
        END - DAY,
    )


@pytest.fixture
def fought(document, publish, sqlite) -> None:
    """The documents of the battle are published."""
    publish("bot-battle", END, document)
    with sqlite.writing() as db:
        for venue in ("all", "cex", "dex"):
            snapshots.publish(db, END, {f"bot-battle.csv/{venue}": table(document, venue).to_csv()})


@pytest.fixture
def lanes(lives, sqlite, wall) -> None:
    """The history of the lanes is stored, and the clock is at its end."""
    wall.time = END
    with sqlite.writing() as db:
        for name, life in lives.items():
            stored.advance_lane(db, name, asdict(life.state), life.bars, life.events)


class TestDocument:
    def test_it_is_public_and_served_unchanged(self, client: FlaskClient, fought, document, check_schema):
        """Its rate limit is that of the headers."""
        answer = client.get(PATH)
        assert answer.json == json.loads(json.dumps(asdict(document)))
        check_schema(PATH, answer.json)
        limit = answer.json["rate_limit"]
        assert answer.headers["RateLimit-Policy"] == f'"telemetry";q={limit["limit"]};w={limit["window_s"]}'

    def test_every_lane_links_to_its_history(self, client: FlaskClient, fought, lanes):
        for lane in client.get(PATH).json["lanes"]:
            assert [history["name"] for history in client.get(lane["api_path"]).json["lanes"]] == [lane["name"]]


class TestFile:
    @pytest.mark.parametrize(
        ("query", "venues"), [("", ["cex", "dex"]), ("all", ["cex", "dex"]), ("cex", ["cex"]), ("dex", ["dex"])]
    )
    def test_it_has_the_lanes_of_the_wanted_venue(self, client: FlaskClient, fought, query, venues):
        answer = client.get(CSV, query_string={"venue": query} if query else {})
        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        name = f"bot-battle-{query or 'all'}-20250301T0000Z.csv"
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        lines = csv.DictReader(io.StringIO(answer.text))
        assert [line["name"] for line in lines] == [name for name, lane in LANES.items() if lane.venue in venues]

    @pytest.mark.parametrize("venue", ["otc", "", "all,cex"])
    def test_an_unknown_venue_is_refused(self, client: FlaskClient, fought, venue: str):
        refusal = client.get(CSV, query_string={"venue": venue})
        assert refusal_of(refusal) == (400, "invalid_request", "venue")
        assert refusal.json["errors"][0]["message"] == "must be 'all', 'cex' or 'dex'"


def reason_of(refusal: TestResponse) -> str:
    """Why the beginning of a window is refused."""
    assert refusal_of(refusal) == (400, "invalid_request", "since")
    return refusal.json["errors"][0]["message"]


class TestHistory:
    def test_it_is_of_all_lanes_over_the_last_seven_days(self, client: FlaskClient, lanes, lives, check_schema):
        answer = client.get(HISTORY)
        assert [lane["name"] for lane in answer.json["lanes"]] == list(LANES)
        assert (answer.json["since"], answer.json["until"]) == (iso(END - 7 * DAY), iso(END))
        assert (answer.json["as_of"], answer.json["world"]) == (iso(END), "simulated")
        for lane in answer.json["lanes"]:
            assert len(lane["points"]) == 7 * BARS_A_DAY + 1
            equity = [bar.equity for bar in lives[lane["name"]].bars]
            assert lane["points"][-1] == {
                "time": iso(END),
                "equity_usd": round(equity[-1], 2),
                "status": lives[lane["name"]].state.status,
                "drawdown_pct": round(100 * (1 - equity[-1] / max(10_000.0, *equity)), 4),
            }
        check_schema(HISTORY, answer.json)
        assert client.get(f"{HISTORY}?until=2099-12-31").json == answer.json

    def test_it_lists_every_trade_harvest_and_switch_of_the_window(self, client: FlaskClient, lanes, lives):
        answer = client.get(f"{HISTORY}?since=2025-02-01&until=2025-02-28")
        kinds = set()
        for lane in answer.json["lanes"]:
            done = [event for event in lives[lane["name"]].events if NEW_YEAR + 31 * DAY <= event["time"] <= END]
            assert [(event["time"], event["note"]) for event in lane["events"]] == [
                (iso(event["time"]), event["note"]) for event in done
            ]
            kinds |= {event["kind"] for event in lane["events"]}
        assert kinds == {"trade", "harvest", "switch"}

    @pytest.mark.parametrize(
        ("since", "first"),
        [
            ("2025-02-28T20:00:00Z", "2025-02-28T20:00:00Z"),
            ("2025-02-28T20:00:01", "2025-02-28T21:00:00Z"),
            ("2025-02-28T20:00", "2025-02-28T20:00:00Z"),
            ("2025-02-28T20:00:00.000Z", "2025-02-28T20:00:00Z"),
            ("2025-02-28T20:00:00.5Z", "2025-02-28T20:00:00Z"),
            ("2025-02-28T20:00:00+02:00", "2025-02-28T18:00:00Z"),
        ],
    )
    def test_an_instant_without_offset_is_utc(self, client: FlaskClient, lanes, since: str, first: str):
        answer = client.get(HISTORY, query_string={"lane": "trend", "since": since})
        assert answer.json["lanes"][0]["points"][0]["time"] == first

    def test_where_there_is_no_bar_it_is_empty(self, client: FlaskClient, lives, check_schema, request):
        """Before the start of the lanes, and before any is stored."""
        assert (client.get(HISTORY).json["as_of"], len(client.get(HISTORY).json["lanes"])) == (None, 6)
        request.getfixturevalue("lanes")
        answer = client.get(f"{HISTORY}?since=2024-12-01&until=2024-12-05")
        assert (answer.json["as_of"], [lane["points"] for lane in answer.json["lanes"]]) == (None, [[]] * 6)
        check_schema(HISTORY, answer.json)

    @pytest.mark.parametrize("instant", NO_INSTANTS)
    @pytest.mark.parametrize("end", ["since", "until"])
    def test_an_invalid_instant_is_refused(self, client: FlaskClient, instant: str, end: str):
        assert refusal_of(client.get(HISTORY, query_string={end: instant})) == (400, "invalid_request", end)

    def test_a_window_that_begins_later_than_now_is_empty(self, client: FlaskClient, lanes):
        """A caller's clock may be a second ahead."""
        instant = iso(END + 1)
        assert {len(lane["points"]) for lane in client.get(f"{HISTORY}?since={instant}").json["lanes"]} == {0}
        assert client.get(f"{PATH}/trend/events?since={instant}").json["count"] == 0

    def test_a_long_or_reversed_window_is_refused(self, client: FlaskClient, lanes):
        reason = reason_of(client.get(f"{HISTORY}?since=2025-02-03&until=2025-02-01"))
        assert "after the end, which is 2025-0" in reason
        for query, longest in (("", 35), ("lane=trend&", 210)):
            since = END - longest * DAY
            assert client.get(f"{HISTORY}?{query}since={iso(since)}").status_code == 200
            reason = reason_of(client.get(f"{HISTORY}?{query}since={iso(since - 1)}"))
            assert f"at most {longest} days before the end" in reason

    def test_too_many_events_are_refused_and_never_truncated(self, client: FlaskClient, sqlite, wall, lives):
        wall.time = END
        busy = [lives["trend"].events[0] | {"time": END - DAY + count} for count in range(2001)]
        with sqlite.writing() as db:
            stored.advance_lane(db, "trend", {}, [LaneBar(END, 1.0, "waiting")], busy)
        page = client.get(HISTORY, query_string={"since": iso(END - DAY + 1)})
        assert len(page.json["lanes"][0]["events"]) == 2000
        reason = reason_of(client.get(HISTORY, query_string={"since": iso(END - DAY)}))
        assert reason == "lane trend has more than 2,000 events since then"


class TestPages:
    def test_every_event_is_listed_newest_first(self, client: FlaskClient, lanes, lives, check_schema):
        for name, life in lives.items():
            events = walk(client, f"{PATH}/{name}/events?limit=7", "events")
            assert [event["time"] for event in events] == [iso(event["time"]) for event in reversed(life.events)]
            assert [event["note"] for event in events] == [event["note"] for event in reversed(life.events)]
        check_schema(f"{PATH}/{{lane}}/events", client.get(f"{PATH}/trend/events").json)

    def test_the_equity_is_listed_at_every_bar(self, client: FlaskClient, lanes, lives, check_schema):
        points = walk(client, f"{PATH}/trend/equity?limit=500", "points")
        assert [tuple(point.values()) for point in points] == [
            (iso(bar.as_of), round(bar.equity, 2), bar.status) for bar in lives["trend"].bars
        ]
        assert len(points) > 1_000
        check_schema(f"{PATH}/{{lane}}/equity", client.get(f"{PATH}/trend/equity").json)

    def test_a_page_says_what_the_first_start_computed(self, make_app, sqlite, lanes):
        app = make_app(sqlite)
        clock = WorldClock("simulated", END - DAY, END - DAY)
        app.extensions["ninefold"] = replace(app.extensions["ninefold"], clock=clock)
        for part in ("events", "equity"):
            assert app.test_client().get(f"{PATH}/TREND/{part}").json["live_since"] == iso(END - DAY)

    @pytest.mark.parametrize("part", ["events", "equity"])
    def test_wrong_pages_are_refused(self, client: FlaskClient, lanes, part: str):
        assert client.get(f"{PATH}/hodl/{part}").status_code == 404
        cursor = client.get(f"{PATH}/trend/{part}?limit=1").json["next"]
        for query, field in ((f"breakout/{part}?cursor={cursor}", "cursor"), (f"trend/{part}?limit=10001", "limit")):
            assert refusal_of(client.get(f"{PATH}/{query}")) == (400, "invalid_request", field)
