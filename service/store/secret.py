"""The secret that API keys are hashed with: the operator's own, or one made at the first start."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from service.config import Settings, SettingsError

FILE = "key-secret"
DIGITS = 64


def key_secret(settings: Settings) -> bytes:
    """KEY_SECRET where it is set, else `DATA_DIR/key-secret`, made once with mode 600.

    Every process that starts at once gets the same one. Losing it makes every key unknown.
    """
    chosen = settings.key_secret.get_secret_value()
    return chosen.encode() if chosen else _kept(settings.data_dir / FILE)


def _kept(path: Path) -> bytes:
    if not path.exists():
        _make(path)
    kept = path.read_bytes().strip()
    if len(kept) < DIGITS:
        raise SettingsError(f"{path} holds no key secret: restore it from a backup, or delete it to void every API key")
    return kept


def _make(path: Path) -> None:
    """Written under a name of its own, then linked: the first link wins and nobody ever reads half a secret."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{FILE}.{secrets.token_hex(8)}")
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
