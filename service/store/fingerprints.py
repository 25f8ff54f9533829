"""Fingerprints of the secrets that a database belongs to, so that a process with another secret does not start.

With another key secret a process would refuse every valid API key and issue keys that the others refuse; with another
ledger key it could not sign the next root.
"""

from __future__ import annotations

import hashlib
from typing import Literal

from sqlalchemy import Connection, delete, select, update

from service.config import Settings, SettingsError
from service.ledger import roots
from service.store import ledger
from service.store.database import insert
from service.store.secret import FILE, LEDGER_FILE, KeySecrets, exists, key_secret, ledger_key, old_key_secret
from service.store.tables import secret_fingerprint

SecretName = Literal["key-secret", "ledger-key"]
DIGITS = 16
OLD = "old-key-secret"
SINCE = "0013"  # the revision of the first database that has fingerprints
VARIABLES: dict[SecretName, str] = {FILE: "KEY_SECRET", LEDGER_FILE: "LEDGER_KEY"}


def verify(db: Connection, settings: Settings, name: SecretName) -> str:
    """The fingerprint of this process's secret, which the first process to start has stored, 16 hex digits.

    Raises SettingsError where the database belongs to another secret, or to one that is absent here; a missing secret
    is created only for a database that belongs to none.
    """
    expected = _expected(db, name)
    if expected and not exists(settings, name):
        raise SettingsError(f"{_of(expected, name)}, which is not there: {_remedy(settings, name)}")
    fingerprint = _fingerprint(settings, name)
    if not expected:
        db.execute(insert(db, secret_fingerprint).values(name=name, fingerprint=fingerprint).on_conflict_do_nothing())
        expected = stored(db)[name]
    if fingerprint != expected:
        raise SettingsError(f"{_of(expected, name)}, not to this one ({fingerprint}): {_remedy(settings, name)}")
    return fingerprint


def stored(db: Connection) -> dict[str, str]:
    """The fingerprints that this database belongs to, by the name of the secret."""
    return {row.name: row.fingerprint for row in db.execute(select(secret_fingerprint))}


def replace_key_secret(db: Connection, settings: Settings) -> str:
    """Let the database belong to the present key secret; keys that were issued with another one stay invalid."""
    db.execute(delete(secret_fingerprint).where(secret_fingerprint.c.name.in_((FILE, OLD))))
    return verify(db, settings, FILE)


def hand_on(db: Connection, name: SecretName, fingerprint: str, accepted_until: int | None = None) -> None:
    """Let the database belong to a new secret; the key secret until now is accepted until a wall second."""
    row = secret_fingerprint.c
    if name == FILE:
        db.execute(delete(secret_fingerprint).where(row.name == OLD))
        db.execute(update(secret_fingerprint).where(row.name == name).values(name=OLD, accepted_until=accepted_until))
    db.execute(delete(secret_fingerprint).where(row.name == name))
    db.execute(insert(db, secret_fingerprint).values(name=name, fingerprint=fingerprint))


def key_secrets(db: Connection, settings: Settings) -> KeySecrets:
    """The key secret, and the one before it where this database accepts it and it is here."""
    current, before = key_secret(settings), old_key_secret(settings)
    row = db.execute(select(secret_fingerprint).where(secret_fingerprint.c.name == OLD)).first()
    if row is None or before is None or fingerprint_of(before) != row.fingerprint:
        return KeySecrets(current)
    return KeySecrets(current, before, row.accepted_until or 0)


def fingerprint_of(secret: bytes) -> str:
    """The fingerprint of a key secret: a slow hash, because an operator may have chosen it."""
    return hashlib.scrypt(secret, salt=b"ninefold " + FILE.encode(), n=2**12, r=8, p=1).hex()[:DIGITS]


def _expected(db: Connection, name: SecretName) -> str | None:
    if name == LEDGER_FILE and (key := ledger.signing_key(db)):
        return key[:DIGITS]
    return stored(db).get(name)


def _fingerprint(settings: Settings, name: SecretName) -> str:
    """Of the ledger key its public half; of the key secret a hash."""
    if name == LEDGER_FILE:
        return roots.public_key(ledger_key(settings))[:DIGITS]
    return fingerprint_of(key_secret(settings))


def _of(fingerprint: str, name: SecretName) -> str:
    return f"This database belongs to the {name.replace('-', ' ')} with the fingerprint {fingerprint}"


def _remedy(settings: Settings, name: SecretName) -> str:
    return (
        f"bring {settings.data_dir / name} from the installation that started with this database or from its backup, "
        f"or set {VARIABLES[name]} as it is there"
    )
