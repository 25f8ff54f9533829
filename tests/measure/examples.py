"""Capture the answers that the API's description shows, from a first start of the simulated world: `make examples`.

Each file is the answer of one operation, named for its operation id, with lists and maps cut to one of each kind.
"""

from __future__ import annotations

import json
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from werkzeug.test import TestResponse

from service import logs
from service.api import openapi
from service.market.instants import HOUR, utc
from tests.running_service import RunningService, running_service

QUESTION = "Will Bitcoin rise more than 5% this month?"
CHALLENGE = "Will Bitcoin be above 60,000 USD?"
# Maps from a name to one thing of a kind, of which the reader needs a single one.
MAPS = ("votes", "ai_votes", "books", "sources", "answers")
# The steps of a proof are one thing: cut short it would prove nothing.
COMPLETE = ("path",)
# What a reader must not take for a key of his own.
KEY = "nf_live_EXAMPLEK_0000000000000000000000000000000000000000_000000"


def main() -> None:
    """Start a service, put every operation to use once and keep what it answered."""
    logs.configure("error")
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder), history_days=240) as service:
        service.work()
        service.register()
        service.ask(QUESTION)
        _forecast(service)
        _challenge(service, CHALLENGE, days=40)
        service.move(32 * HOUR)
        answers = _answers(service)
        operations = {route.id: route for route in openapi.routes(service.runtime.application())}
    openapi.EXAMPLES.mkdir(exist_ok=True)
    for name, answer in answers.items():
        media = operations[name].operation.media
        suffix = "csv" if media == "text/csv" else "json"
        text = (
            answer.text if suffix == "csv" else json.dumps(cut(answer.get_json()), indent=1, ensure_ascii=False) + "\n"
        )
        (openapi.EXAMPLES / f"{name}.{suffix}").write_text(text, encoding="utf-8", newline="")
    print(f"{len(answers)} examples in {openapi.EXAMPLES}")


def _forecast(service: RunningService) -> None:
    """Give a forecast of a market of a day, under a name."""
    service.move(8 * HOUR)  # after a first start the first live markets open at 16:00
    headers = {"X-API-Key": service.key}
    markets = service.client.get("/api/v1/predictions?limit=200", headers=headers).get_json()["markets"]
    market = next(row["id"] for row in markets if row["category"] == "daily" and not row["backfilled"])
    assert service.client.patch("/api/v1/me", json={"forecaster": "sturdy-owl"}, headers=headers).status_code == 200
    path = f"/api/v1/predictions/{market}/forecast"
    assert service.client.post(path, json={"p_yes": 0.31}, headers=headers).status_code == 200


def _challenge(service: RunningService, question: str, days: int) -> None:
    deadline = (utc(int(service.wall)) + timedelta(days=days)).date().isoformat()
    body = {"question": question, "deadline": deadline}
    assert service.client.post("/api/challenges/create", json=body).status_code == 200


def _answers(service: RunningService) -> dict[str, TestResponse]:
    """The answer of every operation that has one to show, by operation id."""
    key = {"X-API-Key": service.key}

    def get(path: str) -> TestResponse:
        answer = service.client.get(path, headers=key)
        assert answer.status_code == 200, (path, answer.text)
        return answer

    def post(path: str, body: dict[str, Any]) -> TestResponse:
        answer = service.client.post(path, json=body, headers=key)
        assert answer.status_code < 300, (path, answer.text)
        return answer

    markets = get("/api/v1/predictions?limit=200").get_json()["markets"]
    market, new = markets[0]["id"], max(markets, key=lambda row: row["created_at"])["id"]
    features = get("/api/v1/features?limit=1").get_json()["rows"][0]["hash"]
    seal = get("/api/v1/ledger/roots").get_json()["roots"][0]["first_seq"]
    return {
        "oracle_ask": post("/api/v1/oracle", {"question": QUESTION}),
        "oracle_understand": post("/api/v1/oracle/understand", {"question": QUESTION}),
        "prices_current": get("/api/v1/prices"),
        "candles_bars": get("/api/v1/candles?asset=btc&limit=2"),
        "forecasts_record": get("/api/v1/forecasts/record"),
        "forecasts_forecast": get("/api/v1/forecasts/btc"),
        "predictions_markets": get("/api/v1/predictions"),
        "predictions_listing": get("/api/v1/markets?category=challenge"),
        "predictions_vote": post(f"/api/v1/predictions/{market}/vote", {"vote": "yes"}),
        "predictions_forecast": post(f"/api/v1/predictions/{new}/forecast", {"p_yes": 0.62}),
        "features_entry": get(f"/api/v1/features/{features}"),
        "predictions_shadow": get("/api/predictions/shadow"),
        "predictions_ai_vs_market": get("/api/predictions/ai-vs-market"),
        "features_page": get("/api/v1/features?limit=2"),
        "forecasters_table": get("/api/v1/forecasters"),
        "forecasters_forecaster": get("/api/v1/forecasters/sturdy-owl"),
        "challenges_active": get("/api/challenges/active"),
        "challenges_create": post("/api/challenges/create", {"question": CHALLENGE, "deadline": "2026-12-31"}),
        "leaderboard_ranking": get("/api/v1/leaderboard"),
        "leaderboard_strategy": get("/api/v1/strategies/macd_slow"),
        "battle_lanes": get("/api/v1/bot-battle"),
        "battle_export": get("/api/v1/bot-battle/export.csv"),
        "battle_history": get("/api/v1/bot-battle/history"),
        "battle_events": get("/api/v1/bot-battle/trend/events"),
        "battle_equity": get("/api/v1/bot-battle/trend/equity"),
        "hospital_triage": get("/api/v1/strategy-hospital"),
        "streaks_running": get("/api/streaks"),
        "apex_status": get("/api/apex/status"),
        "apex_calls": get("/api/apex/calls"),
        "apex_fund": get("/api/apex/fund"),
        "news_pulse": get("/api/predictions/news-pulse"),
        "news_headlines": get("/api/v1/headlines"),
        "widget_consensus": get("/api/widget/consensus"),
        "ledger_rows": get("/api/v1/ledger"),
        "ledger_head": get("/api/v1/ledger/head"),
        "ledger_roots": get("/api/v1/ledger/roots"),
        "ledger_entry": get(f"/api/v1/ledger/{seal}"),
        "ledger_proof": get(f"/api/v1/ledger/proof/{seal}"),
        "keys_usage": get("/api/v1/me"),
        "keys_register": post("/api/v1/register", {"email": "you@example.com", "app_name": "my dashboard"}),
        "keys_rotate": post("/api/v1/me/rotate", {}),
        "health_alive": get("/healthz"),
        "health_ready": get("/readyz"),
    }


def cut(value: Any, name: str = "") -> Any:
    """A value with one of each kind: the first of a list of things, and of a map from names to things."""
    if name == "api_key":
        return KEY
    if isinstance(value, list):
        is_cut = name not in COMPLETE and len(value) > 1 and isinstance(value[0], dict)
        return [cut(item) for item in (value[:1] if is_cut else value)]
    if isinstance(value, dict):
        items = list(value.items())[:1] if name in MAPS else value.items()
        return {key: cut(item, key) for key, item in items}
    return value


if __name__ == "__main__":
    main()
