"""The cost of language models by UTC day; all processes share one total."""

from __future__ import annotations

from sqlalchemy import Connection, select

from service.store.database import Database, insert
from service.store.tables import spending


class StoredSpending:
    """The spending of all processes that share a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        """Add to a day (YYYY-MM-DD) in one statement, and return the day's new totals; amounts may be negative."""
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


def spent_on(db: Connection, day: str) -> tuple[int, float]:
    """Tokens and USD of a day (YYYY-MM-DD), including what is reserved for calls under way."""
    row = db.execute(select(spending.c.tokens, spending.c.usd).where(spending.c.day == day)).first()
    return (row.tokens, row.usd) if row else (0, 0.0)
