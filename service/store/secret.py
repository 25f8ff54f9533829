"""The secrets of an installation: set by the operator, or generated at the first start.

A generated secret is stored in `DATA_DIR` with mode 600. Processes that start at the same time get the same secret.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from service.config import Settings, SettingsError

FILE = "key-secret"
LEDGER_FILE = "ledger-key"
DIGITS = 64


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
    chosen, path = settings.ledger_key.get_secret_value(), settings.data_dir / LEDGER_FILE
    written = chosen or _read(path).decode(errors="replace")
    if not re.fullmatch(f"[0-9a-fA-F]{{{DIGITS}}}", written):
        place = "LEDGER_KEY" if chosen else path
        raise SettingsError(f"{place} holds no ledger key, {DIGITS} hex digits: restore it from a backup")
    return bytes.fromhex(written)


def _read(path: Path) -> bytes:
    if not path.exists():
        _make(path)
    return path.read_bytes().strip()


def _make(path: Path) -> None:
    """Write a temporary file, then link it: the first link wins, and no process reads a partial secret."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with open(draft, "xb", opener=_private) as file:
        file.write(secrets.token_hex(DIGITS // 2).encode())
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
