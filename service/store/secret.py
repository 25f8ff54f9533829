"""The secrets of an installation: the operator's own, or made once at the first start.

Each is kept in `DATA_DIR` with mode 600, and every process that starts at once gets the same one.
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
    """What API keys are hashed with: KEY_SECRET, else `DATA_DIR/key-secret`. Losing it makes every key unknown."""
    chosen = settings.key_secret.get_secret_value()
    if chosen:
        return chosen.encode()
    path = settings.data_dir / FILE
    kept = _kept(path)
    if len(kept) < DIGITS:
        raise SettingsError(f"{path} holds no key secret: restore it from a backup, or delete it to void every API key")
    return kept


def ledger_key(settings: Settings) -> bytes:
    """The Ed25519 seed, 32 bytes, that signs the ledger's roots: LEDGER_KEY, else `DATA_DIR/ledger-key`.

    Losing it ends the ledger: roots of another key cannot be told from a forgery.
    """
    chosen, path = settings.ledger_key.get_secret_value(), settings.data_dir / LEDGER_FILE
    written = chosen or _kept(path).decode(errors="replace")
    if not re.fullmatch(f"[0-9a-fA-F]{{{DIGITS}}}", written):
        place = "LEDGER_KEY" if chosen else path
        raise SettingsError(f"{place} holds no ledger key, {DIGITS} hex digits: restore it from a backup")
    return bytes.fromhex(written)


def _kept(path: Path) -> bytes:
    if not path.exists():
        _make(path)
    return path.read_bytes().strip()


def _make(path: Path) -> None:
    """Written under a name of its own, then linked: the first link wins and nobody ever reads half a secret."""
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
