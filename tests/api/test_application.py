"""The whole application: what each operation costs, and that no key is ever written down."""

from __future__ import annotations

import pytest

from service import logs
from service.api.openapi import routes
from service.store import keys
from service.store.backup import backup


def test_every_operation_declares_what_it_costs(app):
    """Only what tells whether the service works is unlimited; documents with a key cost a call of the day."""
    by_limit: dict[str | None, set[str]] = {}
    for route in routes(app):
        by_limit.setdefault(route.operation.limit, set()).add(f"{route.method} {route.path}")
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
    assert by_limit.keys() == {"telemetry"}
    changes = {address for address in by_limit["telemetry"] if not address.startswith("GET ")}
    assert changes == {"POST /api/v1/me/rotate", "DELETE /api/v1/me"}


def test_retries_and_keys_are_declared(app):
    operations = {f"{route.method} {route.path}": route.operation for route in routes(app)}
    retryable = {address for address, operation in operations.items() if operation.retryable}
    assert retryable == {"POST /api/v1/oracle", "POST /api/challenges/create"}
    keyed = {address for address, operation in operations.items() if operation.limit in ("documents", "questions")}
    assert {operations[address].key for address in keyed} == {"required"}


@pytest.fixture
def everything_is_logged(capsys):
    """The service's own logging at its most talkative."""
    logs.configure("debug")


def secret_of(key: str) -> str:
    return key.split("_")[3]


def found_in(text: bytes, issued: list[str]) -> int:
    return sum(secret_of(key).encode() in text for key in issued)


def test_no_key_is_in_the_database_or_its_backup(web, tmp_path, tries):
    with web.database.writing() as db:
        issued = [
            keys.register_key(db, web.secret, f"{n}@example.com", web.now)[0] for n in range(tries(1000, 1000, 10_000))
        ]
    backup(web.database, tmp_path / "backup")
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    assert {"backup", "database.sqlite", "database.sqlite-wal"} <= {path.name for path in files}
    written = b"".join(path.read_bytes() for path in files)
    assert found_in(written, issued) == 0
    assert all(key.split("_")[2].encode() in written for key in issued), "the scan does not find what is there"


def test_no_file_and_no_log_contains_a_key(web, tmp_path, capsys, everything_is_logged):
    """Whether the key was accepted, refused or used in a request that failed."""
    issued = [web.register(f"{n}@example.com").json["api_key"] for n in range(5)]
    for key in issued[:4]:
        for want in ("an answer", "a refusal", "no voters", "a fault"):
            web.ask(key, want, headers={"Idempotency-Key": want.replace(" ", "-")})
    issued.append(web.send("POST", "/api/v1/me/rotate", key=issued[0]).json["api_key"])
    web.ask(issued[0])
    web.ask(issued[1][:-1] + "x")
    web.send("GET", f"/look?key={issued[2]}")
    web.send("GET", f"/nowhere/{issued[3]}")
    web.send("DELETE", "/api/v1/me", key=issued[4])
    shown = "".join(capsys.readouterr()).encode()
    assert b"unexpected_fault" in shown, "the scan does not see the log"
    assert found_in(shown, issued) == 0
    assert found_in(b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file()), issued) == 0
