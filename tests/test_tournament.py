"""A forecast is in no answer but its author's own, in no export and in no row, until its market is settled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.ledger.verifier import verify
from service.market.instants import HOUR
from service.store import keys, ledger
from service.store.secret import key_secret
from tests.running_service import RunningService, copied, running_service

P, DIGITS = 0.7361952, "7361952"
NAME = "quiet-owl"
QUERIES = {
    "/api/v1/predictions": ("?status=all", "?status=all&sort=divergence"),
    "/api/v1/markets": ("?status=all", "?category=challenge"),
    "/api/v1/ledger": ("?kind=forecast", "?kind=votes", "?kind=reveal", "?limit=500&first_seq={since}"),
    "/api/v1/events": ("?after_seq={since}&seconds=1",),
    "/api/v1/bot-battle/export.csv": ("?venue=cex",),
}


@pytest.fixture
def house(seeded: Path, tmp_path: Path) -> Iterator[RunningService]:
    with running_service(copied(seeded, tmp_path)) as running:
        yield running


def registered(house: RunningService, email: str) -> dict[str, str]:
    runtime = house.runtime
    with runtime.database.writing() as db:
        key, _ = keys.register_key(db, key_secret(runtime.settings), email, house.wall, plan="paid")
    return {"X-API-Key": key}


class Reader:
    """Whoever reads all that can be read, as a stranger with a key and without one."""

    def __init__(self, house: RunningService, since: int, places: dict[str, list[str]]) -> None:
        self.house, self.since, self.places = house, since, places
        self.headers = registered(house, "reader@example.com")

    def paths(self) -> list[str]:
        """Every address that answers a GET, with everything that can stand in it."""
        rules = self.house.client.application.url_map.iter_rules()
        paths = []
        for rule in (rule for rule in rules if "GET" in rule.methods):
            variable = rule.rule.partition("<")[2].partition(">")[0]
            for value in self.places.get(variable, ["none"]) if variable else [""]:
                path = rule.rule.replace(f"<{variable}>", value)
                queries = QUERIES.get(path, ())
                bare = [] if path == "/api/v1/events" else [path]
                paths += [*bare, *(path + query.format(since=self.since) for query in queries)]
        return paths

    def answers(self, paths: list[str]) -> dict[str, str]:
        """What each address answers to who has another key, and none; as JSON, and as CSV where there is one."""
        answers = {}
        for path in paths:
            for kind in ("application/json", "text/csv") if path.startswith("/api/v1/predictions") else ("*/*",):
                for headers in (self.headers, {}):
                    address = f"10.0.{len(answers) // 100}.1"  # an address may send 120 requests a minute
                    answer = self.house.client.get(
                        path, headers={**headers, "Accept": kind}, environ_base={"REMOTE_ADDR": address}
                    )
                    assert answer.status_code != 429, path
                    place = f"{path} as {kind} {'with' if headers else 'without'} a key"
                    answers[place] = answer.get_data(as_text=True) + str(answer.headers)
        return answers

    def places_of(self, *words: str, paths: list[str] | None = None) -> set[str]:
        """Where one of these words can be read: in an answer, in the export of the ledger, or in its rows."""
        with self.house.runtime.database.reading() as db:
            export = "\n".join(ledger.export(db))
        texts = {**self.answers(paths or self.paths()), "the export": export}
        return {place for place, text in texts.items() if any(word in text for word in words)}


@pytest.mark.slow
def test_a_forecast_is_nowhere_until_its_market_is_settled(house: RunningService):
    author = registered(house, "owl@example.com")
    client = house.client
    assert client.patch("/api/v1/me", json={"forecaster": NAME}, headers=author).status_code == 200
    body = {"question": "Will Bitcoin rise today?", "deadline": "2026-11-21"}
    challenge = client.post("/api/challenges/create", json=body, headers=author).get_json()
    house.move(8 * HOUR)  # after a first start the first live markets open at 16:00
    listed = client.get("/api/v1/predictions?limit=200", headers=author).get_json()["markets"]
    market = next(row["id"] for row in listed if row["category"] == "daily" and not row["backfilled"])

    def forecast(id: str, p: float) -> dict:
        return client.post(f"/api/v1/predictions/{id}/forecast", json={"p_yes": p}, headers=author).get_json()

    recorded = [forecast(market, P), forecast(challenge["id"], P), forecast(challenge["id"], P)]
    salts = [row["salt"] for row in recorded]
    seqs = [row["seq"] for row in recorded]
    places = {
        "market_id": [market],
        "number": [str(challenge["number"])],
        "name": [NAME, "pool", recorded[0]["forecaster"]],
        "seq": [str(seq) for seq in seqs],
        "asset": ["btc"],
        "key": ["macd_slow"],
    }
    reader = Reader(house, min(seqs) - 1, places)
    house.move(HOUR)
    client.post("/api/v1/oracle", json={"question": "Will Bitcoin rise today?"}, headers=reader.headers)
    assert reader.places_of(DIGITS, *salts) == set()
    own = client.get(f"/api/v1/predictions/{market}", headers=author).get_json()["my_forecast"]
    assert (own["p_yes"], own["salt"]) == (P, salts[0])

    house.move(32 * HOUR)
    pages = [f"/api/v1/forecasters/{NAME}", "/api/v1/ledger?kind=reveal"]
    assert reader.places_of(DIGITS, paths=pages) == {
        "the export",
        *(f"{page} as */* {keyed} a key" for page in pages for keyed in ("with", "without")),
    }
    with house.runtime.database.reading() as db:
        verification = verify(ledger.export(db))
    assert (verification.fault, verification.forecasts, verification.revealed) == (None, 3, 3)
    (entry,) = client.get(f"/api/v1/forecasters/{NAME}").get_json()["entries"]
    assert entry["opening"]["n"] == entry["time_weighted"]["n"] == 1
    assert NAME in {row["name"] for row in client.get("/api/v1/forecasters").get_json()["entries"]}
