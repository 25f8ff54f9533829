"""Leases on the slots that this process is working: a process that died or hangs loses its slot when they expire."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from service.store import runs
from service.store.database import Database

LEASE_S = 15
RENEW_S = 5


class Leases:
    """The leases of this process; the ticker renews them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: dict[str, float] = {}
        self._renewed_at = 0.0

    @contextmanager
    def hold(self, owner: str, until: float) -> Iterator[None]:
        """Hold the slot of `owner` during the block, at most until the wall second `until`.

        An attempt that hangs where its time limit cannot interrupt it must not hold its job forever.
        """
        self._held[owner] = until
        try:
            yield
        finally:
            del self._held[owner]

    def renew(self, now: float) -> None:
        """Renew all leases, at most every RENEW_S seconds."""
        owners = [owner for owner, until in list(self._held.items()) if now < until]
        if not owners or 0 <= now - self._renewed_at < RENEW_S:
            return
        with self._database.writing() as db:
            runs.renew(db, owners, now + LEASE_S)
        self._renewed_at = now
