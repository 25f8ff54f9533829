"""A web that something happens to between a charge and its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from sqlalchemy import Connection, event
from sqlalchemy.exc import OperationalError

from service.jobs.prune import REFUND_EVERY_S, refund_expired
from service.store.database import Database
from service.store.quotas import LEASE_S
from tests.api.web import NOON, Question, Web


@dataclass
class InterruptedWeb(Web):
    """`interruption` runs in the view of /ask, after the charge and before the answer or refusal."""

    interruption: Callable[[], object] = lambda: None

    def _answer(self, body: Question) -> dict[str, str]:
        """Answer as wanted, after the interruption."""
        self.interruption()
        return super()._answer(body)


def after_the_lease(database: Database) -> None:
    """Run the job that refunds what is left of a request at noon."""
    effects = refund_expired(None, NOON + LEASE_S + REFUND_EVERY_S)
    with database.writing() as db:
        effects(db)


@dataclass
class Outage:
    """A database that begins no transaction any more from the `first` one on, of those that are counted from 1."""

    first: int
    transactions: int = 0

    @contextmanager
    def of(self, database: Database) -> Iterator[None]:
        """The outage of this database."""
        event.listen(database.engine, "begin", self._begin)
        yield
        event.remove(database.engine, "begin", self._begin)

    @property
    def was_noticed(self) -> bool:
        return self.transactions >= self.first

    def _begin(self, _connection: Connection) -> None:
        self.transactions += 1
        if self.was_noticed:
            raise OperationalError("BEGIN", {}, Exception("away"))


def outages_at_each_step(database: Database, attempt: Callable[[str], object]) -> Iterator[str]:
    """The key under which an attempt was made in an outage that began with its first, second, … transaction.

    The last attempt is one that the outage did not disturb.
    """
    for first in count(1):
        outage, key = Outage(first), f"outage-{first}"
        with outage.of(database):
            attempt(key)
        yield key
        if not outage.was_noticed:
            return
