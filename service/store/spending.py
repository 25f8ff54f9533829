"""What language models cost, by UTC day: every process that spends sees the same total."""

from __future__ import annotations

from service.store.database import Database, insert
from service.store.tables import spending


class StoredSpending:
    """The spending of all processes over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        """Add to a day (YYYY-MM-DD) at one stroke, less where it is negative; the totals of the day after that."""
        with self._database.writing() as db:
            statement = (
                insert(db, spending)
                .values(day=day, tokens=tokens, usd=usd)
                .on_conflict_do_update(
                    index_elements=[spending.c.day],
                    set_={"tokens": spending.c.tokens + tokens, "usd": spending.c.usd + usd},
                )
            )
            total = db.execute(statement.returning(spending.c.tokens, spending.c.usd)).one()
        return total.tokens, total.usd
