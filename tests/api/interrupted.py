"""A web that something happens to between a charge and its answer.

`python -m tests.api.interrupted DATABASE_URL KEY` is charged for a question, says so, and waits to be killed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

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


def _stand() -> None:
    print("charged", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    url, key = sys.argv[1:]
    InterruptedWeb(Database(url), interruption=_stand).ask(key)
