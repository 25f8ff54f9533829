"""The whole application: what each operation costs, which ones need a key, and that no key is ever written down."""

from __future__ import annotations

from flask import Flask

from service import logs
from service.api.openapi import routes
from service.store import keys
from service.store.backup import backup


def test_every_operation_declares_what_it_costs(app):
    """Only what tells whether the service works is unlimited; documents with a key cost a call, which needs one."""
    by_limit: dict[str | None, set[str]] = {}
    for route in routes(app):
        by_limit.setdefault(route.operation.limit, set()).add(f"{route.method} {route.path}")
        assert route.operation.key == "required" or route.operation.limit not in ("documents", "questions")
    vote = "POST /api/v1/predictions/{market_id}"
    assert by_limit.pop(None) == {"GET /healthz", "GET /readyz", "GET /metrics"}
    assert by_limit.pop("documents") == {"GET /api/v1/leaderboard", "GET /api/v1/predictions"}
    assert by_limit.pop("questions") == {"POST /api/v1/oracle"}
    assert by_limit.pop("understanding") == {"POST /api/v1/oracle/understand"}
    assert by_limit.pop("challenges") == {"POST /api/challenges/create"}
    assert by_limit.pop("registration") == {"POST /api/v1/register"}
    votes = {f"{vote}/vote", f"{vote}/forecast", "POST /api/challenges/{number}/vote", "PATCH /api/v1/me"}
    assert by_limit.pop("votes") == votes
    assert all(" /api/v1/webhooks" in address for address in by_limit.pop("webhooks"))
    assert by_limit.pop("forecast lists") == {"POST /api/v1/forecasts"}
    assert by_limit.pop("streams") == {"GET /api/v1/events"}
    assert {address.split("/")[3] for address in by_limit.pop("own data")} == {"me", "answers", "webhooks"}
    descriptions = {"/docs", "/api/v1", "/api/v1/docs", "/api/v1/plans", "/api/openapi.json"}
    lite = {"/api/openapi-lite.json", "/api/v1/openapi-lite.json"}
    assert by_limit.pop("descriptions") == {f"GET {path}" for path in descriptions | lite}
    assert by_limit.keys() == {"telemetry"}
    assert all(address.startswith("GET ") for address in by_limit["telemetry"])


def found_in(text: bytes, api_keys: list[str]) -> int:
    return sum(key.split("_")[3].encode() in text for key in api_keys)


def test_no_key_is_in_the_database_or_its_backup(web, tmp_path, tries):
    emails = [f"{number}@example.com" for number in range(tries(1000, 1000, 10_000))]
    with web.database.writing() as db:
        api_keys = [keys.register_key(db, web.secret, email, web.now)[0] for email in emails]
    backup(web.database, tmp_path / "backup")
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    assert {"backup", "database.sqlite", "database.sqlite-wal"} <= {path.name for path in files}
    content = b"".join(path.read_bytes() for path in files)
    assert found_in(content, api_keys) == 0
    assert all(key.split("_")[2].encode() in content for key in api_keys), "the scan does not find what is there"


def test_no_file_and_no_log_contains_a_key(web, tmp_path, capsys):
    """Whether the key was accepted, refused or used in a request that failed."""
    logs.configure("debug")
    api_keys = [web.register(f"{n}@example.com").json["api_key"] for n in range(5)]
    for key in api_keys[:4]:
        for wish in ("an answer", "a refusal", "no voters", "a fault"):
            web.ask(key, wish, headers={"Idempotency-Key": wish.replace(" ", "-")})
    api_keys.append(web.send("POST", "/api/v1/me/rotate", key=api_keys[0]).json["api_key"])
    web.ask(api_keys[0])
    web.ask(api_keys[1][:-1] + "x")
    web.send("GET", f"/look?key={api_keys[2]}")
    web.send("GET", f"/nowhere/{api_keys[3]}")
    web.send("DELETE", "/api/v1/me", key=api_keys[4])
    log = "".join(capsys.readouterr()).encode()
    assert b"unexpected_fault" in log, "the scan does not see the log"
    assert found_in(log, api_keys) == 0
    assert found_in(b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file()), api_keys) == 0


# Specification, "Authentication"; and what an operator's own tools read.
PUBLIC_PAGES = """
/api/v1/ledger /api/v1/ledger/head /api/v1/ledger/<seq> /api/v1/ledger/proof/<seq> /api/v1/ledger/roots
/api/v1/ledger/witness /api/v1/events /api/v1/plans /api/v1/prices /api/v1/candles /api/v1/features
/api/v1/features/<hash> /api/v1/forecasts/<asset> /api/v1/forecasts/record /api/v1/strategies /api/v1/strategies/<key>
/llms.txt /skill.md /api/v1 /api/v1/forecasts/<asset>/paths /docs/<name> /home/<name> /home/words/<language>.json
/api/v1/ledger/vectors /api/v1/markets /api/v1/bot-battle /api/v1/bot-battle/export.csv /api/v1/bot-battle/history
/api/v1/bot-battle/<lane>/events /api/v1/bot-battle/<lane>/equity /api/v1/strategy-hospital
/api/v1/predictions/<market_id> /api/v1/forecasters /api/v1/forecasters/<name> /api/predictions/shadow
/api/predictions/ai-vs-market /api/predictions/news-pulse /api/challenges/active /api/challenges/<number> /api/streaks
/api/apex/status /api/apex/fund /api/apex/calls /api/v1/headlines /api/widget/consensus /api/v1/docs
/api/openapi-lite.json /api/v1/openapi-lite.json /api/openapi.json /docs /docs/rapidoc-9.3.8.js /embed /embed.js /
/healthz /readyz /metrics
"""
PUBLIC_POSTS = """
/api/v1/register /api/v1/predictions/<market_id>/vote /api/challenges/create /api/challenges/<number>/vote
"""


def test_every_private_address_requires_a_key(app):
    gets, posts = {f"GET {path}" for path in PUBLIC_PAGES.split()}, {f"POST {path}" for path in PUBLIC_POSTS.split()}
    routes = {f"{method} {rule.rule}" for rule in app.url_map.iter_rules() for method in rule.methods}
    private_routes = {route for route in routes if _code(app, *route.split()) == "missing_api_key"}
    assert {route for route in routes - private_routes if not route.startswith(("HEAD", "OPTIONS"))} == gets | posts


def _code(app: Flask, method: str, path: str) -> str | None:
    """The code of the problem that a caller without a key is answered with."""
    return (app.test_client().open(path, method=method).get_json(silent=True) or {}).get("code")
