"""The secrets of an installation, and their fingerprints in the database that belongs to them.

A secret is set by the operator, or generated at the first start and stored in `DATA_DIR` with mode 600. Processes that
start at the same time get the same one. A process with another secret does not start: it would refuse every valid API
key and issue keys that the others refuse, or could not sign the next root of the ledger.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from sqlalchemy import Connection, delete, insert, select, update

from service.config import Settings, SettingsError
from service.ledger import roots
from service.store import ledger
from service.store.database import add_rows
from service.store.tables import secret_fingerprint

FILE: Final = "key-secret"
OLD_FILE: Final = "key-secret.before"
LEDGER_FILE: Final = "ledger-key"
DIGITS = 64


@dataclass(frozen=True)
class KeySecrets:
    """What API keys are hashed with and webhook secrets derived from; the `old` one is valid until a wall second."""

    current: bytes = field(repr=False)
    old: bytes | None = field(default=None, repr=False)
    old_until: int = 0

    def valid(self, now: float) -> list[bytes]:
        """The secrets that are valid at the wall second `now`, the current one first."""
        return [self.current, self.old] if self.old and now < self.old_until else [self.current]


def prepare(path: Path) -> bytes:
    """The new secret that lies beside a secret's file, made by an interrupted rotation or now."""
    return _read(path.with_name(f"{path.name}.new"))


def put_in_place(path: Path, *, copy_to: Path | None = None) -> None:
    """Let the prepared secret be the one in use, and keep a copy of the one before."""
    if copy_to:
        os.link(path, draft := copy_to.with_name(f".{copy_to.name}.{secrets.token_hex(8)}"))
        draft.replace(copy_to)
    path.with_name(f"{path.name}.new").replace(path)


def key_secret(settings: Settings) -> bytes:
    """The secret that API keys are hashed with: KEY_SECRET, else `DATA_DIR/key-secret`. Without it no key is valid."""
    chosen = settings.key_secret.get_secret_value()
    if chosen:
        return chosen.encode()
    path = settings.data_dir / FILE
    secret = _read(path)
    if len(secret) < DIGITS:
        raise SettingsError(f"{path} holds no key secret: restore it from a backup, or delete it to void every API key")
    return secret


def ledger_key(settings: Settings) -> bytes:
    """The Ed25519 seed, 32 bytes, that signs the ledger's roots: LEDGER_KEY, else `DATA_DIR/ledger-key`.

    Without it the ledger cannot continue: a verifier cannot distinguish roots of another key from a forgery.
    """
    path = settings.data_dir / LEDGER_FILE
    digits = settings.ledger_key.get_secret_value() or _read(path).decode(errors="replace")
    if not re.fullmatch(f"[0-9a-fA-F]{{{DIGITS}}}", digits):
        raise SettingsError(f"{path} holds no ledger key, {DIGITS} hex digits: restore it from a backup")
    return bytes.fromhex(digits)


def secret_exists(settings: Settings, name: str) -> bool:
    """Whether the secret of this name (FILE or LEDGER_FILE) is set or has a file."""
    return is_set(settings, name) or (settings.data_dir / name).exists()


def is_set(settings: Settings, name: str) -> bool:
    return bool((settings.key_secret if name == FILE else settings.ledger_key).get_secret_value())


def _read(path: Path) -> bytes:
    if not path.exists():
        _make(path)
    return path.read_bytes().strip()


def _make(path: Path) -> None:
    """Write a temporary file, then link it: the first link wins, and no process reads a partial secret."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with open(draft, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(secrets.token_hex(DIGITS // 2).encode())
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()


SecretName = Literal["key-secret", "ledger-key"]
FINGERPRINT_DIGITS = 16
OLD = "old-key-secret"
VARIABLES: dict[SecretName, str] = {FILE: "KEY_SECRET", LEDGER_FILE: "LEDGER_KEY"}


def verify_fingerprint(db: Connection, settings: Settings, name: SecretName) -> str:
    """The fingerprint of this process's secret, which the first process to start has stored, 16 hex digits.

    Raises SettingsError where the database belongs to another secret, or to one that is absent here; a missing secret
    is created only for a database that belongs to none.
    """
    public = ledger.signing_key(db) if name == LEDGER_FILE else None
    expected = public[:FINGERPRINT_DIGITS] if public else stored_fingerprints(db).get(name)
    noun = f"{name.replace('-', ' ')} with the fingerprint"
    remedy = (
        f"bring {settings.data_dir / name} from the installation that started with this database or from its backup, "
        f"or set {VARIABLES[name]} as it is there"
    )
    if expected and not secret_exists(settings, name):
        raise SettingsError(f"This database belongs to the {noun} {expected}, which is not there: {remedy}")
    fingerprint = _fingerprint(settings, name)
    if not expected:
        add_rows(db, secret_fingerprint, [{"name": name, "fingerprint": fingerprint}])
        expected = stored_fingerprints(db)[name]
    if fingerprint != expected:
        raise SettingsError(
            f"This database belongs to the {noun} {expected}, not to this one ({fingerprint}): {remedy}"
        )
    return fingerprint


def stored_fingerprints(db: Connection) -> dict[str, str]:
    """The fingerprints that this database belongs to, by the name of the secret."""
    return {row.name: row.fingerprint for row in db.execute(select(secret_fingerprint))}


def replace_key_secret(db: Connection, settings: Settings) -> str:
    """Let the database belong to the present key secret; keys that were issued with another one stay invalid."""
    db.execute(delete(secret_fingerprint).where(secret_fingerprint.c.name.in_((FILE, OLD))))
    return verify_fingerprint(db, settings, FILE)


def hand_on(db: Connection, name: SecretName, fingerprint: str, accepted_until: int | None = None) -> None:
    """Let the database belong to a new secret; the key secret until now is accepted until a wall second."""
    row = secret_fingerprint.c
    if name == FILE:
        db.execute(delete(secret_fingerprint).where(row.name == OLD))
        db.execute(update(secret_fingerprint).where(row.name == name).values(name=OLD, accepted_until=accepted_until))
    db.execute(delete(secret_fingerprint).where(row.name == name))
    db.execute(insert(secret_fingerprint).values(name=name, fingerprint=fingerprint))


def key_secrets(db: Connection, settings: Settings) -> KeySecrets:
    """The key secret, and the one before it where this database accepts it and it is here."""
    current, path = key_secret(settings), settings.data_dir / OLD_FILE
    before = path.read_bytes().strip() if path.exists() else None
    row = db.execute(select(secret_fingerprint).where(secret_fingerprint.c.name == OLD)).first()
    if row is None or before is None or fingerprint_of(before) != row.fingerprint:
        return KeySecrets(current)
    return KeySecrets(current, before, row.accepted_until or 0)


def fingerprint_of(secret: bytes) -> str:
    """The fingerprint of a key secret: a slow hash, because an operator may have chosen it."""
    return hashlib.scrypt(secret, salt=b"ninefold " + FILE.encode(), n=2**12, r=8, p=1).hex()[:FINGERPRINT_DIGITS]


def _fingerprint(settings: Settings, name: SecretName) -> str:
    """Of the ledger key its public half; of the key secret a hash."""
    if name == LEDGER_FILE:
        return roots.public_key(ledger_key(settings))[:FINGERPRINT_DIGITS]
    return fingerprint_of(key_secret(settings))
