"""API keys on the command line."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from service.config import Settings
from service.ledger.chain import LedgerRow
from service.ledger.roots import public_key
from service.ledger.verifier import verify
from service.market.instants import DAY
from service.store import ledger, secret
from service.store.database import Database
from service.store.secret import OLD, KeySecrets, fingerprint_of, key_secret, ledger_key, prepare
from tests.api.web import Web
from tests.operator.conftest import Operate, answer_of, complaint_of


def test_the_command_line_mints_lists_grants_and_revokes(web, operate):
    mint = answer_of(operate, "keys", "mint", "--delegating", "--email", "Bot@Example.com", "--app-name", "bot")
    key, id = mint["api_key"], mint["key_id"]
    assert web.ask(key, headers={"X-End-User": "alice"}).status_code == 200
    assert answer_of(operate, "keys", "grant", id, "paid")["plan"] == "paid"
    assert web.ask(key).headers["X-RateLimit-Limit"] == "100"
    (row,) = answer_of(operate, "keys", "list", "--email", "bot@example.com")
    assert (row["key_id"], row["plan"], row["delegating"], row["app_name"]) == (id, "paid", True, "bot")
    assert answer_of(operate, "keys", "revoke", id)["revoked_at"]
    assert web.ask(key).json["code"] == "invalid_api_key"


@pytest.fixture
def settings(database: Database, tmp_path: Path) -> Settings:
    """The settings of a service that has started with this database."""
    settings = Settings(world="simulated", data_dir=tmp_path)
    with database.writing() as db:
        for name in secret.VARIABLES:
            secret.verify_fingerprint(db, settings, name)
    return settings


def rotated(operate: Operate, name: str) -> dict:
    return answer_of(operate, "secrets", "rotate", name)


def restarted(web: Web, settings: Settings) -> KeySecrets:
    """What a process that starts now accepts."""
    with web.database.writing() as db:
        secret.verify_fingerprint(db, settings, "key-secret")
        return secret.key_secrets(db, settings)


def me(web: Web, secrets: KeySecrets, key: str, now: float) -> int:
    """The status that a caller gets from a process with these secrets."""
    return replace(web, secrets=secrets, now=now).send("GET", "/api/v1/me", key=key).status_code


@pytest.mark.slow
def test_keys_outlive_a_rotation_if_they_are_used_in_time(operate, web: Web, settings: Settings):
    """An old key is hashed again when it is used; one that is not used is void after the overlap."""
    used_key, idle_key = (web.granted(plan="paid") for _ in range(2))
    rotated(operate, "key-secret")
    secrets, now = restarted(web, settings), time.time()
    client = replace(web, secret=secrets.current).granted(plan="paid")
    assert [me(web, secrets, key, now) for key in (used_key, client)] == [200, 200]
    later = now + 31 * DAY
    assert [me(web, secrets, key, later) for key in (used_key, client, idle_key)] == [200, 200, 401]
    assert me(web, KeySecrets(secrets.current), used_key, now) == 200


def test_an_interrupted_rotation_of_the_key_secret_is_finished(operate, web: Web, settings: Settings):
    """The database knew the new secret already, the file did not."""
    key, before = web.granted(plan="paid"), key_secret(settings)
    fingerprint = fingerprint_of(prepare(settings.data_dir / "key-secret"))
    with web.database.writing() as db:
        secret.hand_on(db, "key-secret", fingerprint, int(time.time()) + DAY)
    assert rotated(operate, "key-secret")["fingerprint"] == fingerprint
    secrets = restarted(web, settings)
    assert (secrets.old, fingerprint_of(secrets.current)) == (before, fingerprint)
    assert me(web, secrets, key, time.time()) == 200


def test_the_verifier_follows_the_ledger_from_key_to_key(operate, database: Database, settings: Settings, now: int):
    """Two rotations with roots between them: each key of the chain is accepted, a stranger's is not.

    Nor is one that is only named as successor: anybody can hand a forged ledger over to a key that others trust.
    """
    keys = [public_key(ledger_key(settings))]
    for number in range(3):
        with database.writing() as db:
            row = LedgerRow("correction", "btc", {"corrects": 1, "note": str(number)}, backfilled=False)
            ledger.append(db, [row], now + number * DAY)
            day = time.strftime("%Y-%m-%d", time.gmtime(now + number * DAY))
            assert ledger.seal(db, day, ledger_key(settings), now + number * DAY)
        keys.append(rotated(operate, "ledger-key")["public_key"])
    with database.reading() as db:
        lines = list(ledger.export(db))
    for key in (None, *keys[:3]):
        verification = verify(lines, key)
        assert (verification.fault, verification.roots, verification.key) == (None, 3, keys[2])
    stranger = public_key(b"another seed of thirty-two bytes")
    for key, fault in ((stranger, "signed by another key"), (keys[3], "only named as a successor")):
        assert fault in (verify(lines, key).fault or "")


def test_after_a_hand_over_the_old_ledger_key_signs_nothing(operate, database: Database, settings: Settings, now: int):
    before = ledger_key(settings)
    rotated(operate, "ledger-key")
    with database.writing() as db, pytest.raises(Exception, match="signed by another key"):
        ledger.seal(db, "2030-01-01", before, now)
    with database.reading() as db:
        assert secret.stored_fingerprints(db)["ledger-key"] == public_key(ledger_key(settings))[:16]


def test_a_secret_without_a_file_is_not_rotated(operate, database: Database, monkeypatch, tmp_path: Path):
    monkeypatch.setenv("KEY_SECRET", "the secret of an operator")
    complaint = complaint_of(operate, "secrets", "rotate", "key-secret")
    assert f"KEY_SECRET is set: put the secret into {tmp_path / 'key-secret'} first" in complaint
    with database.reading() as db:
        assert OLD not in secret.stored_fingerprints(db)
