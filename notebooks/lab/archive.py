"""Every table of the service in full: all pages, downloaded once and kept in Parquet files on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

import pandas as pd
from platformdirs import user_cache_path

from notebooks.lab.pages import Page, pages, with_progress
from notebooks.lab.record import MarketRecord, record_of
from notebooks.widgets import frames
from notebooks.widgets.frames.apex import APEX_CALL_LAYERS, APEX_CALLS
from notebooks.widgets.frames.battle import LANE_EQUITY, LANE_EVENTS
from notebooks.widgets.frames.ledger import KIND
from notebooks.widgets.frames.market import CANDLES, HEADLINES
from notebooks.widgets.frames.oracle import FEATURES
from notebooks.widgets.frames.schema import TEXT, FrameSchema, typed
from service.client import Client

MAX_ROWS = 200  # rows on a page; of bars and of the equity of a lane there are more
MOST_BARS = 10_000
MOST_LEDGER_ROWS = 500
RECORD_KINDS = ("votes", "odds", "resolution", "correction")
# What may still change: an outcome that is due, a headline that a source delivers late.
LATE_MARGIN = timedelta(days=3)
NO_MARGIN = timedelta(0)
LEDGER_LINES = FrameSchema.of(
    "seq:count",
    f"recorded_at:time {KIND} subject:text body:text previous:text hash:text backfilled:flag world:world",
)

Build = Callable[[Iterable[Page]], pd.DataFrame]


class Archive:
    """The tables of the service behind `client`, each in one call.

    Bars, lanes, headlines, calls of apex and the ledger are kept in Parquet files in `folder`, by default in the cache
    folder of this user: the next call downloads only what is new. A service with another ledger has other files.
    `progress` shows a bar for a download that takes longer than a second.
    """

    def __init__(
        self,
        client: Client,
        folder: Path | None = None,
        *,
        progress: bool = True,
    ) -> None:
        self.client = client
        self._root = folder or user_cache_path("ninefold", appauthor=False)
        self._progress = progress
        self._pages = partial(pages, progress=progress)

    @cached_property
    def cache(self) -> ParquetCache:
        """The files of this service, which the first row of its ledger identifies; NotFound before that row.

        After the world was taken back to a backup there are other files: what was stored may not be true any more.
        """
        first = self.client.ledger_entry(1)["entry"]
        corrections = self._pages(lambda since: self.client.ledger(since, MOST_LEDGER_ROWS, "correction"), "ledger", 1)
        rewinds = [row["seq"] for page in corrections for row in page["entries"] if "rewound_to" in row["body"]]
        return ParquetCache(self._root / "-".join([first["hash"][:16], *map(str, rewinds[-1:])]))

    @cached_property
    def world(self) -> str:
        """The world of the service."""
        return self.client.ledger_head()["world"]

    @cached_property
    def assets(self) -> tuple[str, ...]:
        """The assets that the service has bars of."""
        return tuple(price["asset"] for price in self.client.prices()["prices"])

    @cached_property
    def lanes(self) -> tuple[str, ...]:
        """The lanes of the battle."""
        return tuple(lane["name"] for lane in self.client.battle()["lanes"])

    def candles(self, *assets: str, interval: str = "1h") -> pd.DataFrame:
        """Every complete bar of these assets, or of all; `interval` is 5m, 1h or 1d. See `frames.candles`."""

        def table(asset: str) -> pd.DataFrame:
            operation = partial(self.client.candles, asset, interval, limit=MOST_BARS)
            return self._table(f"candles-{asset}-{interval}", CANDLES, frames.candles, operation, NO_MARGIN)

        return pd.concat([table(asset) for asset in assets or self.assets])

    def lane_equity(self, *lanes: str) -> pd.DataFrame:
        """The equity of these lanes, or of all, at every bar. See `frames.lane_equity`."""

        def table(lane: str) -> pd.DataFrame:
            operation = partial(self.client.lane_equity, lane, limit=MOST_BARS)
            return self._table(f"lane-equity-{lane}", LANE_EQUITY, frames.lane_equity, operation, NO_MARGIN)

        return pd.concat([table(lane) for lane in lanes or self.lanes])

    def lane_events(self, *lanes: str) -> pd.DataFrame:
        """Every event of these lanes, or of all, the oldest first in each. See `frames.lane_events`."""

        def table(lane: str) -> pd.DataFrame:
            operation = partial(self.client.lane_events, lane, limit=MAX_ROWS)
            return self._table(f"lane-events-{lane}", LANE_EVENTS, frames.lane_events, operation, NO_MARGIN)

        return pd.concat([table(lane) for lane in lanes or self.lanes])

    def headlines(self) -> pd.DataFrame:
        """Every stored headline, the oldest first. See `frames.headlines`."""
        operation = partial(self.client.headlines, limit=MAX_ROWS)
        return self._table("headlines", HEADLINES, frames.headlines, operation, LATE_MARGIN)

    def apex_calls(self) -> pd.DataFrame:
        """Every call of apex, the oldest first. See `frames.apex_calls`."""
        operation = partial(self.client.apex_calls, limit=MAX_ROWS)
        return self._table("apex-calls", APEX_CALLS, frames.apex_calls, operation, LATE_MARGIN)

    def apex_call_layers(self) -> pd.DataFrame:
        """The layers of every call of apex, the oldest first. See `frames.apex_call_layers`."""
        operation = partial(self.client.apex_calls, limit=MAX_ROWS)
        return self._table("apex-call-layers", APEX_CALL_LAYERS, frames.apex_call_layers, operation, LATE_MARGIN)

    def features(self) -> pd.DataFrame:
        """The inputs of the voters at every committed vote, the oldest first. See `frames.features`."""
        operation = partial(self.client.features, None, limit=MAX_ROWS)
        return self._table("features", FEATURES, frames.features, operation, NO_MARGIN)

    def markets(self, status: str = "resolved", **selection: str | None) -> pd.DataFrame:
        """Every market of a status. See `frames.markets`.

        `selection` is that of `client.markets`. The votes on them are in the ledger, see `resolved_votes`.
        """
        return frames.markets(self._cursor_pages(partial(self.client.markets, status, **selection), "markets"))

    def resolved_pairs(self) -> pd.DataFrame:
        """Every resolved market with a score of both the pool and an external market."""
        return self.markets().dropna(subset=["brier_ai", "brier_market"])

    def answers(self) -> pd.DataFrame:
        """Every answer of the oracle to this key. See `frames.answers`."""
        return frames.answers(self._cursor_pages(partial(self.client.answers, votes="none"), "answers"))

    def deliveries(self, webhook_id: str) -> pd.DataFrame:
        """Every message to a webhook endpoint. See `frames.deliveries`."""
        return frames.deliveries(self._cursor_pages(partial(self.client.webhook_deliveries, webhook_id), "deliveries"))

    def hospital_months(self) -> pd.DataFrame:
        """Every month of the hospital. See `frames.hospital_months`."""
        months = with_progress(
            self.client.hospital()["links"]["months"], "hospital", unit="months", progress=self._progress
        )
        return frames.hospital_months(map(self.client.hospital, months))

    def strategy_equity(self, *keys: str) -> pd.DataFrame:
        """The equity of these strategies, or of all. See `frames.strategy_equity`."""
        return pd.concat([frames.strategy_equity(page) for page in self._strategies(keys)])

    def strategy_trades(self, *keys: str) -> pd.DataFrame:
        """The latest 50 trades of each of these strategies, or of all. See `frames.strategy_trades`."""
        return pd.concat([frames.strategy_trades(page) for page in self._strategies(keys)])

    def ledger_lines(self, *kinds: str) -> list[dict[str, Any]]:
        """Every row of the ledger of these kinds in order, as parsed lines for `frames.ledger` and its relatives."""
        rows = pd.concat([self._ledger(kind) for kind in kinds]).sort_index()
        return [
            {**line, "recorded_at": line["recorded_at"].isoformat(), "body": json.loads(line["body"]), "type": "row"}
            for line in rows.reset_index().to_dict("records")
        ]

    def resolved_votes(self) -> pd.DataFrame:
        """Every vote on a market that resolved yes or no, with its score. See `frames.resolved_votes`."""
        return frames.resolved_votes(self.ledger_lines(*RECORD_KINDS), self.world)

    def record(self, *, with_inputs: bool = True) -> MarketRecord:
        """What a voter is walked over: every market of the ledger with its votes, and what was known then.

        Without inputs it has neither bars nor features, whose download a comparison of votes does not need.
        """
        if not with_inputs:
            return record_of(self.ledger_lines(*RECORD_KINDS), {}, self.world, FEATURES.frame([]))
        candles = self.candles()
        bars = {str(asset): bars for asset, bars in candles.groupby("asset", sort=False)}
        return record_of(self.ledger_lines(*RECORD_KINDS), bars, self.world, self.features())

    def _cursor_pages(self, operation: Callable[..., Page], label: str) -> Iterator[Page]:
        return self._pages(lambda cursor: operation(limit=MAX_ROWS, cursor=cursor), label)

    def _strategies(self, keys: tuple[str, ...]) -> Iterator[Page]:
        listed = keys or [strategy["key"] for strategy in self.client.hospital()["strategies"]]
        for key in listed:
            yield from self._pages(lambda _, key=key: {"count": 1, "next": None, **self.client.strategy(key)}, key)

    def _table(
        self, name: str, schema: FrameSchema, build: Build, operation: Callable[..., Page], margin: timedelta
    ) -> pd.DataFrame:
        """The stored rows and the new ones by instant; those of the last `margin` are downloaded again."""
        rows, window = self.cache.read(name, schema), {}
        if len(rows):
            since = cast(pd.Timestamp, rows.index.max()) - margin
            rows, window = rows.loc[rows.index < since], {"since": since.isoformat()}
        new_rows = build(self._pages(lambda cursor: operation(cursor=cursor, **window), name))
        if len(new_rows) > 1 and new_rows.index[0] > new_rows.index[-1]:
            new_rows = new_rows.iloc[::-1]
        table = pd.concat([rows, new_rows]) if len(rows) else new_rows
        self.cache.write(name, table)
        return table

    def _ledger(self, kind: str) -> pd.DataFrame:
        """The stored rows of a kind and the new ones; a row never changes."""
        old_rows = self.cache.read(f"ledger-{kind}", LEDGER_LINES)
        first = int(old_rows.index.to_numpy()[-1]) + 1 if len(old_rows) else 1
        batches = self._pages(lambda since: self.client.ledger(since, MOST_LEDGER_ROWS, kind), f"ledger {kind}", first)
        new = LEDGER_LINES.frame(
            {**entry, "body": json.dumps(entry["body"]), "world": page["world"]}
            for page in batches
            for entry in page["entries"]
        )
        if not len(new):
            return old_rows
        table = pd.concat([old_rows, new]) if len(old_rows) else new
        self.cache.write(f"ledger-{kind}", table)
        return table


def record_from(source: Archive | MarketRecord) -> MarketRecord:
    """The record of an archive as it is now, or the record itself."""
    return source.record() if isinstance(source, Archive) else source


class ParquetCache:
    """Frames by name in a folder; a file that cannot be read counts as absent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str, schema: FrameSchema) -> pd.DataFrame:
        """The frame of a name with the dtypes of `schema`; without rows where there is no file of this schema."""
        try:
            table = pd.read_parquet(self._file(name))
        except (OSError, ValueError):  # no file, or half of one
            return schema.frame([])
        if list(table.columns) != list(schema.dtypes):
            return schema.frame([])
        columns = {column: _column(table.loc[:, column], dtype) for column, dtype in schema.dtypes.items()}
        return pd.DataFrame(columns).set_index(list(schema.index))

    def write(self, name: str, frame: pd.DataFrame) -> None:
        """Keep a frame under a name; another process sees the old file or the new one."""
        file = self._file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}")
        words = frame.select_dtypes("category").columns
        frame.astype(dict.fromkeys(words, object)).reset_index().to_parquet(draft, index=False)
        draft.replace(file)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"


def _column(values: pd.Series, dtype: str | pd.CategoricalDtype) -> pd.Series:
    """A stored column as the schema declares it; closed vocabularies are stored as text.

    Before pandas 3 a text that is missing would become the word None.
    """
    if isinstance(dtype, pd.CategoricalDtype) or dtype == TEXT:
        return typed(values.astype(object).where(values.notna(), None).tolist(), dtype)
    return values.astype(dtype)
