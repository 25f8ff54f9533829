"""A voter in the live tournament: its forecasts of new markets, sent on a schedule."""

from __future__ import annotations

from datetime import timedelta
from threading import Event, Thread
from traceback import print_exception

import numpy as np
import pandas as pd

from notebooks.lab.archive import Archive
from notebooks.lab.record import MarketRecord, RecordedMarket, instant_of
from notebooks.lab.walk import BuildVoter, VoterWalk, refuse_foresight, walk_forward
from service.client import ClientError, Conflict

EVERY_S = 300.0
# The last forecast within an hour of the votes counts beside them; it is asked what the backtest asks.
OPENING = timedelta(hours=1)
DIGITS = 4

_entries: dict[str, TournamentEntry] = {}


class TournamentEntry:
    """Sends the forecasts of a voter for every market that opens, until `stop`.

    Every `every_s` seconds the archive is brought up to date, and each live market that opened within the last hour
    gets one forecast, from the inputs of its opening, as in the backtest. `trouble` is the error of the last round,
    None if it succeeded: where the service cannot be reached, or refuses because of a limit, the next round tries
    again. An error of the voter itself ends the entry.
    """

    def __init__(self, build: BuildVoter, archive: Archive, every_s: float = EVERY_S) -> None:
        self.voter = getattr(build, "__name__", type(build).__name__)
        self.every_s = every_s
        self.trouble: Exception | None = None
        self._build, self._archive = build, archive
        self._walk: VoterWalk | None = None
        self._rows: dict[str, dict[str, object]] = {}
        self._end = Event()
        self._thread = Thread(target=self._run, name=f"entry of {self.voter}", daemon=True)

    @property
    def sent(self) -> pd.DataFrame:
        """The forecasts that were sent, index `id`, and for which scores each counts."""
        columns = ["question", "p_yes", "forecast_at", "seq", "counts_in"]
        return pd.DataFrame.from_dict(self._rows, orient="index", columns=columns).rename_axis("id")

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        """Send what is due now and then on the schedule; the first round raises its error here."""
        self.send_due()
        self._thread.start()

    def stop(self) -> None:
        """End the schedule after the round that is under way; what was sent stands."""
        self._end.set()

    def send_due(self) -> list[str]:
        """Send a forecast for each market that opened in the last hour and has none; the ids of those markets."""
        record = self._archive.record()
        now = instant_of(self._archive.client.prices()["as_of"])
        due = [market for market in record.markets if self._is_due(market, now)]
        return [market.question.id for market in due if self._send(market, record)]

    def _is_due(self, market: RecordedMarket, now: pd.Timestamp) -> bool:
        question = market.question
        is_new = question.id not in self._rows and not market.backfilled
        return is_new and now - OPENING <= question.asked_at and now < question.deadline

    def _send(self, market: RecordedMarket, record: MarketRecord) -> bool:
        p = self._walk_over(record).forecast(market)
        if not np.isfinite(p):
            return False
        row: dict[str, object] = {"question": market.question.text, "p_yes": round(p, DIGITS)}
        try:
            receipt = self._archive.client.forecast_market(market.question.id, round(p, DIGITS))
        except Conflict:
            return False  # the forecasting closed in this moment
        row |= {name: receipt[name] for name in ("forecast_at", "seq")}
        self._rows[market.question.id] = row | {"counts_in": ", ".join(receipt["counts_in"])}
        return True

    def _walk_over(self, record: MarketRecord) -> VoterWalk:
        """The voter prepared on this record."""
        if self._walk is None or self._walk.record is not record:
            self._walk = VoterWalk(self._build, record)
        return self._walk

    def _run(self) -> None:
        while not self._end.wait(self.every_s):
            self.trouble = None
            try:
                self.send_due()
            except ClientError as error:
                self.trouble = error
            except Exception as error:
                self.trouble = error
                print_exception(error)
                return

    def __repr__(self) -> str:
        state = f"every {self.every_s:g} s" if self.is_running else "stopped"
        trouble = f", {type(self.trouble).__name__}: {self.trouble}" if self.trouble else ""
        reason = "" if self._rows else " (no live market that it forecasts has opened within an hour)"
        return f"<entry of {self.voter}: {len(self._rows)} forecasts sent{reason}, {state}{trouble}>"


def enter(voter: BuildVoter, archive: Archive, *, name: str | None = None, every_s: float = EVERY_S) -> TournamentEntry:
    """Enter a voter in the tournament: send its forecasts of new markets while this process runs.

    `voter` is what `backtest` takes; one that sees the future is refused with VoterRefused. `name` lists the key of the
    client under a public name in `client.forecasters()`. It prints how many forecasts it has sent. An earlier entry of
    a voter of the same name in this process is stopped, so that a notebook cell can be run again.
    """
    record = archive.record()
    refuse_foresight(voter, record, walk_forward(voter, record))
    if name is not None:
        archive.client.name_forecaster(name)
    entry = TournamentEntry(voter, archive, every_s)
    if predecessor := _entries.pop(entry.voter, None):
        predecessor.stop()
    entry.start()
    _entries[entry.voter] = entry
    print(entry)
    return entry
