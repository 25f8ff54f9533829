"""Each person's own votes and forecasts, which the service counts without saying whose they are."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from bot.store.sqlite_file import SqliteFile

KEPT_S = 366 * 86400  # no market and no challenge is open for longer

Side = Literal["yes", "no"]


class OwnCall(NamedTuple):
    """A person's vote on a market or a challenge, and their forecast P(YES); at least one of them."""

    prediction_id: str
    vote: Side | None
    p: float | None


class Votes(SqliteFile):
    """The latest vote and the latest forecast of a person by the id of the market or challenge."""

    def remember_vote(self, user_id: int, prediction_id: str, vote: str) -> None:
        """Store a vote, "yes" or "no", in place of an earlier one."""
        now = self._seconds()
        with self._writing() as db:
            db.execute("DELETE FROM vote WHERE voted_at < ?", (now - KEPT_S,))
            db.execute("REPLACE INTO vote VALUES (?, ?, ?, ?)", (user_id, prediction_id, vote, now))

    def remember_forecast(self, user_id: int, prediction_id: str, p: float) -> None:
        """Store a forecast in place of an earlier one."""
        now = self._seconds()
        with self._writing() as db:
            db.execute("DELETE FROM forecast WHERE forecast_at < ?", (now - KEPT_S,))
            db.execute("REPLACE INTO forecast VALUES (?, ?, ?, ?)", (user_id, prediction_id, p, now))

    def votes_of(self, user_id: int, prediction_ids: Collection[str]) -> dict[str, Side]:
        """The person's votes on these markets and challenges, by their ids."""
        rows = self._rows("SELECT prediction_id, vote FROM vote WHERE user_id = ?", user_id)
        return {row["prediction_id"]: row["vote"] for row in rows if row["prediction_id"] in prediction_ids}

    def own_calls(self, user_id: int, limit: int) -> list[OwnCall]:
        """The person's newest votes and forecasts, joined by market or challenge."""
        rows = self._rows(
            "SELECT prediction_id, max(vote), max(p), max(at) AS latest FROM ("
            " SELECT prediction_id, vote, NULL AS p, voted_at AS at FROM vote WHERE user_id = ?"
            " UNION ALL SELECT prediction_id, NULL, p, forecast_at FROM forecast WHERE user_id = ?)"
            " GROUP BY prediction_id ORDER BY latest DESC, prediction_id LIMIT ?",
            user_id,
            user_id,
            limit,
        )
        return [OwnCall(*row[:3]) for row in map(tuple, rows)]
