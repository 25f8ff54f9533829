"""Calls of apex and headlines, for everybody, and the page that other sites embed."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from flask.testing import FlaskClient

from service.api.responses import STATIC
from service.forecasting.apex.layers import LAYERS
from service.forecasting.news.headline import headline, read
from service.market.instants import DAY, HOUR, iso
from service.store import bars
from service.store import knowledge as stored
from service.store.pages import apex_calls
from tests.api.conftest import NOON
from tests.api.opened import walk
from tests.forecasting.made import call_of, made_bars

SPEAKERS = [name for name in LAYERS if name != "market"]


def test_every_call_is_listed_with_its_outcome(client: FlaskClient, sqlite, check_schema):
    """Two pages, newest first; the call of today is not resolved."""
    start = NOON - 60 * HOUR
    hours = made_bars("btc", 10, 1, NOON - 10 * DAY)
    closes = dict(zip((hours.time + HOUR).tolist(), hours.close.tolist(), strict=True))
    calls = [
        call_of(at, 0.6, closes[at], backfilled=at < start + DAY, **{SPEAKERS[0]: 0.7})
        for at in range(start, NOON, DAY)
    ]
    with sqlite.writing() as db:
        bars.add_bars(db, "btc", hours)
        for call in calls:
            apex_calls.add(db, call.at, call.to_plain(), p_up=call.p_up, backfilled=call.backfilled)
    rows = walk(client, "/api/apex/calls?limit=2", "calls")
    assert [call["called_at"] for call in rows] == [iso(call.at) for call in reversed(calls)]
    assert [call["outcome"] for call in rows] == [
        None,
        *("yes" if closes[call.at + DAY] > call.spot else "no" for call in reversed(calls[:-1])),
    ]
    assert [call["backfilled"] for call in rows] == [False, False, True]
    assert {layer["name"]: layer["p_up"] for layer in rows[0]["layers"] if layer["p_up"]} == {SPEAKERS[0]: 0.7}
    check_schema("/api/apex/calls", client.get("/api/apex/calls").json)


def test_every_headline_is_listed_newest_first(client: FlaskClient, sqlite, check_schema):
    titles = [f"Bitcoin surges for the {number}th day" for number in range(5)]
    headlines = [headline(title, "desk", NOON - max(number, 1) * HOUR) for number, title in enumerate(titles)]
    with sqlite.writing() as db:
        stored.add_headlines(db, read([*headlines, headline("Too early", "desk", NOON + HOUR)]))
    rows = walk(client, "/api/v1/headlines?limit=1", "headlines")
    by_key = sorted(headlines, key=lambda item: (item.published_at, item.id), reverse=True)
    assert [row["title"] for row in rows] == [item.title for item in by_key]
    assert rows[-1] | {"score": 0} == {
        "title": titles[4],
        "url": None,
        "source": "desk",
        "published_at": iso(NOON - 4 * HOUR),
        "score": 0,
        "assets": ["btc"],
        "simulated": False,
    }
    check_schema("/api/v1/headlines", client.get("/api/v1/headlines").json)
    assert client.get(f"/api/v1/headlines?until={iso(NOON - 3 * HOUR)}").json["count"] == 2


PAGE, SCRIPT = "/embed?asset=eth&theme=dark", "/embed.js"


def policy_of(client: FlaskClient) -> dict[str, str]:
    header = client.get(PAGE).headers["Content-Security-Policy"]
    return dict(part.strip().split(" ", 1) for part in header.split(";"))


def test_any_page_may_frame_it(client: FlaskClient):
    assert policy_of(client)["frame-ancestors"] == "*"
    assert "X-Frame-Options" not in client.get(PAGE).headers


def test_it_runs_its_own_script_and_calls_its_own_service(client: FlaskClient):
    policy = policy_of(client)
    (code,) = re.findall("<script>(.*?)</script>", client.get(PAGE).text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert (policy["default-src"], policy["connect-src"]) == ("'none'", "'self'")
    assert policy["script-src"] == f"'sha256-{digest}'"


def test_page_and_script_have_10_kb_and_name_no_other_host():
    files = [STATIC / "embed.html", STATIC / "embed.js"]
    assert sum(file.stat().st_size for file in files) <= 10_000
    assert not [file.name for file in files if re.search(r"https?://(?!…)", file.read_text())]


@pytest.mark.parametrize("path", [PAGE, SCRIPT])
def test_both_are_cached_and_renewed_by_their_etag(client: FlaskClient, path: str):
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (200, "gzip")
    assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_a_page_that_isolates_itself_may_load_the_script(client: FlaskClient):
    assert client.get(SCRIPT).headers["Cross-Origin-Resource-Policy"] == "cross-origin"
