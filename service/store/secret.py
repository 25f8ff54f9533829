"""The secrets of an installation: set by the operator, or generated at the first start.

A generated secret is stored in `DATA_DIR` with mode 600. Processes that start at the same time get the same secret.
"""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from service.config import Settings, SettingsError

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


def old_key_secret(settings: Settings) -> bytes | None:
    """The key secret before the last rotation; None where there was none."""
    path = settings.data_dir / OLD_FILE
    return path.read_bytes().strip() if path.exists() else None


def prepare(path: Path) -> bytes:
    """The new secret that lies beside a secret's file, made by an interrupted rotation or now."""
    return _read(path.with_name(f"{path.name}.new"))


def put_in_place(path: Path, *, keep: Path | None = None) -> None:
    """Let the prepared secret be the one in use, and keep a copy of the one before."""
    if keep:
        os.link(path, draft := keep.with_name(f".{keep.name}.{secrets.token_hex(8)}"))
        draft.replace(keep)
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
    written = settings.ledger_key.get_secret_value() or _read(path).decode(errors="replace")
    if not re.fullmatch(f"[0-9a-fA-F]{{{DIGITS}}}", written):
        raise SettingsError(f"{path} holds no ledger key, {DIGITS} hex digits: restore it from a backup")
    return bytes.fromhex(written)


def exists(settings: Settings, name: str) -> bool:
    """Whether the secret of this name (FILE or LEDGER_FILE) is set or has a file."""
    chosen = settings.key_secret if name == FILE else settings.ledger_key
    return bool(chosen.get_secret_value()) or (settings.data_dir / name).exists()


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
