"""The slots that this process is working: a holder that died or froze is replaced when its lease runs out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from service.store import runs
from service.store.database import Database

LEASE_S = 15
RENEW_S = 5


class Leases:
    """Renewed by the ticker while they are held."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: dict[str, float] = {}
        self._renewed_at = 0.0

    @contextmanager
    def hold(self, owner: str, until: float) -> Iterator[None]:
        """Keep the slot of `owner` for the length of the block, but not past the wall second `until`.

        A try that hangs where its time limit cannot break it off must not keep its job for ever.
        """
        self._held[owner] = until
        try:
            yield
        finally:
            del self._held[owner]

    def renew(self, now: float) -> None:
        """Renew what is held, when that was not done lately."""
        owners = [owner for owner, until in list(self._held.items()) if now < until]
        if not owners or 0 <= now - self._renewed_at < RENEW_S:
            return
        with self._database.writing() as db:
            runs.renew(db, owners, now + LEASE_S)
        self._renewed_at = now
