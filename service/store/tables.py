"""The complete schema. Instants are unix seconds, UTC; JSON is canonical text."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
    text,
)
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

REAL = Float(53)
ColumnType: TypeAlias = TypeEngine[Any] | type[TypeEngine[Any]]


def _key(name: str, kind: ColumnType = BigInteger) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _required(kind: ColumnType, *names: str) -> list[Column[Any]]:
    return [Column(name, kind, nullable=False) for name in names]


def _optional(kind: ColumnType, *names: str) -> list[Column[Any]]:
    return [Column(name, kind) for name in names]


def _table(name: str, *columns: Column[Any] | Index, **options: Any) -> Table:
    return Table(name, metadata, *columns, **options)


def _json_table(name: str, *columns: Column[Any] | Index) -> Table:
    """A table of JSON values, each in the column `body`; the first columns are their key."""
    return _table(name, *columns, *_required(Text, "body"))


# The world that the database belongs to: one row, written at the first start.
world = _table(
    "world",
    _key("id", Integer),
    *_required(String, "name", "fingerprint"),
    *_required(Integer, "step"),
    *_required(BigInteger, "history_from", "world_origin", "wall_origin"),
    *_required(Float, "speed"),
    *_optional(BigInteger, "ends"),
)

# The fingerprints of the secrets that this database belongs to; the secrets themselves are never stored. One that was
# replaced is accepted until the wall second `accepted_until`.
secret_fingerprint = _table(
    "secret_fingerprint",
    _key("name", String),
    *_required(String, "fingerprint"),
    *_optional(BigInteger, "accepted_until"),
)

bar = _table(
    "bar",
    _key("asset", String),
    _key("step", Integer),
    _key("time"),
    *_required(REAL, "open", "high", "low", "close", "volume"),
    sqlite_with_rowid=False,
)

# Counts, for each asset, how often hourly bars were stored or built anew that a job process may keep in memory.
bar_revision = _table("bar_revision", _key("asset", String), *_required(Integer, "revision"))

# What the sources have given of the bars of an asset and a length, "btc/300": a `Coverage`.
coverage = _json_table("coverage", _key("series", String))

# Documents that jobs publish, as the bytes that are served.
snapshot = _table(
    "snapshot",
    _key("name", String),
    *_required(BigInteger, "as_of"),
    *_required(String, "etag"),
    *_required(LargeBinary, "body", "gzip", "zstd"),
)

# The state of an asset at `as_of` that voters forecast from, and the parameters they were fitted to.
context = _json_table("context", _key("asset", String), *_required(BigInteger, "as_of"))
fit = _json_table("fit", _key("slot"))
# The track record of the voters.
record = _json_table("record", _key("id", Integer), *_required(BigInteger, "as_of"))

# What the track record needs of the predictions that were resolved on a UTC day, by the unix second at which it begins.
# `body` is None where one was settled since; then it is made again of the predictions and their votes.
resolved_day = _table("resolved_day", _key("day"), *_optional(Text, "body"))

# The other coins that were asked about, and the list of those that may be.
coin = _json_table("coin", _key("asset", String), *_required(BigInteger, "asked_at", "needed_until", "as_of"))
coin_list = _json_table("coin_list", _key("id", Integer), *_required(BigInteger, "as_of"))

# The pool's P(higher a day later) and volatility of the coming week, a year, of an asset at the end of an hour.
hourly_vote = _table("hourly_vote", _key("hour"), _key("asset", String), *_required(REAL, "p_up", "volatility"))

# The state of a lane after its last bar, and its equity at every bar; a bar is never applied twice.
lane = _json_table("lane", _key("name", String), *_required(BigInteger, "as_of"))
lane_bar = _table(
    "lane_bar",
    _key("lane", String),
    _key("as_of"),
    *_required(REAL, "equity"),
    *_required(String, "status"),
    sqlite_with_rowid=False,
)
lane_event = _json_table("lane_event", _key("lane", String), _key("time"), _key("place", Integer))

job_run = _table(
    "job_run",
    _key("job", String),
    _key("slot"),
    *_required(String, "state"),
    *_required(Integer, "attempt"),
    *_optional(REAL, "added_at", "started_at"),
    *_required(REAL, "next_at"),
    *_optional(String, "owner"),
    *_optional(REAL, "finished_at"),
    *_optional(Text, "error"),
    Index(None, "state", "next_at"),
)

api_key = _table(
    "api_key",
    _key("id", String),
    *_required(String, "hash", "email"),
    *_optional(String, "app_name"),
    *_required(String, "plan"),
    *_required(Boolean, "delegating"),
    *_required(BigInteger, "created_at"),
    *_optional(BigInteger, "last_used_at", "revoked_at"),
    Index(None, "email"),
)

# Callers who may read and no longer write: an address, a key, or an end user of one, as limits count them.
block = _table("block", _key("caller", String), *_required(BigInteger, "at"))

# Where events are sent: `cursor` is the last row of the ledger that is done, `held_until` the end of the lease of the
# process `owner` that delivers now. Instants here are wall seconds.
webhook = _table(
    "webhook",
    _key("id", String),
    Column("key", String, ForeignKey(api_key.c.id), nullable=False),
    *_required(Text, "url", "events", "assets"),
    *_required(BigInteger, "created_at"),
    *_required(Integer, "rotations"),
    *_optional(BigInteger, "rotated_at"),
    *_required(BigInteger, "cursor"),
    *_required(Integer, "attempts"),
    *_optional(BigInteger, "failing_since"),
    *_required(REAL, "next_at"),
    *_optional(BigInteger, "paused_at"),
    *_optional(Text, "paused_reason"),
    *_optional(String, "owner"),
    *_required(REAL, "held_until"),
    Index(None, "key"),
)
webhook_delivery = _table(
    "webhook_delivery",
    Column("number", Integer, primary_key=True),
    Column("webhook", String, ForeignKey(webhook.c.id), nullable=False),
    Column("message", String, nullable=False, unique=True),
    *_optional(BigInteger, "seq"),
    *_required(String, "event", "state"),
    *_required(Integer, "attempts"),
    *_optional(Integer, "status"),
    *_optional(Text, "error"),
    *_required(BigInteger, "first_at", "last_at"),
    *_required(Integer, "duration_ms"),
    Index(None, "webhook", "number"),
)

rate_window = _table(
    "rate_window",
    _key("key", String),
    *_required(BigInteger, "ends"),
    *_required(Integer, "hits"),
    Index(None, "ends"),
)

# A hit of a window that is refunded at the wall second `expires_at` unless its request settles it before.
reservation = _table(
    "reservation",
    _key("id", String),
    *_required(String, "key"),
    *_required(BigInteger, "ends", "expires_at"),
    Index(None, "expires_at"),
)

idempotency = _table(
    "idempotency",
    _key("caller", String),
    _key("key", String),
    *_required(String, "digest"),
    *_required(BigInteger, "created_at"),
    *_optional(Integer, "status"),
    *_optional(LargeBinary, "body"),
    Index(None, "created_at"),
)

# What is listed in pages; the planner uses an index with this condition only where a query repeats it.
IS_LISTED = text("category <> 'answer'")
IS_MARKET = text("category <> 'answer' AND category <> 'challenge'")
_LISTED: dict[str, Any] = {"sqlite_where": IS_LISTED, "postgresql_where": IS_LISTED}
_FILTERS = ("outcome", "category", "asset", "template")

# A market, a challenge or an answer of the oracle: its question, its commitment and its settlement. `body` is an answer
# as it was published. `asset` and `template` are those of the question, `divergence` is the distance in points between
# the pool and the outside market; pages of markets are selected and sorted by them.
prediction = _table(
    "prediction",
    _key("id", String),
    *_required(String, "category"),
    Column("number", Integer, unique=True),
    *_required(Text, "question", "rule"),
    *_required(String, "resolver"),
    *_required(BigInteger, "created_at", "closes_at", "deadline"),
    *_required(Boolean, "backfilled"),
    *_optional(String, "author", "salt"),
    *_optional(BigInteger, "voted_at"),
    *_optional(Text, "commitment"),
    *_optional(BigInteger, "seq"),
    *_optional(String, "hash", "outcome"),
    *_optional(BigInteger, "resolved_at"),
    *_optional(Text, "evidence"),
    *_optional(String, "resolved_by"),
    *_optional(Text, "body"),
    Column("asset", String, nullable=False, server_default=""),
    Column("template", String, nullable=False, server_default=""),
    *_optional(REAL, "divergence"),
    Index(None, "outcome", "deadline"),
    Index(None, "resolved_at"),
    Index(None, "author", "created_at", "id"),
    Index("ix_prediction_by_deadline", "deadline", "id", *_FILTERS, **_LISTED),
    Index("ix_prediction_by_creation", "created_at", "id", *_FILTERS, **_LISTED),
    Index("ix_prediction_by_divergence", "divergence", "id", *_FILTERS, **_LISTED),
)

prediction_vote = _table(
    "prediction_vote",
    Column("prediction", String, ForeignKey(prediction.c.id), primary_key=True),
    _key("place", Integer),
    *_required(String, "voter", "engine"),
    *_required(REAL, "p", "weight"),
    *_required(Text, "reasoning"),
    Column("fallback", Boolean, nullable=False, server_default=false()),
    *_optional(String, "prompt"),
    *_optional(BigInteger, "tokens"),
    *_optional(REAL, "usd", "p_up"),
)

# The inputs of the voters by their hash, which the ledger holds; `voted_at` and `asset` are those of the first vote.
vote_input = _json_table(
    "vote_input",
    _key("hash", String),
    *_required(BigInteger, "voted_at"),
    *_required(String, "asset"),
    Index(None, "voted_at", "hash"),
    Index(None, "asset", "voted_at", "hash"),
)

# The prices of an outside market when the votes were cast.
odds = _table(
    "odds",
    Column("prediction", String, ForeignKey(prediction.c.id), primary_key=True),
    *_required(String, "source", "market_id"),
    *_optional(Text, "url"),
    *_required(REAL, "p_yes"),
    *_optional(REAL, "bid", "ask", "volume_usd"),
    *_required(BigInteger, "fetched_at"),
)

# P(YES) of an open market at an hour, as seen by the voters' pool (`ai`) or the outside market (`odds`). It is never
# scored, and deleted a month after the settlement.
opinion = _table(
    "opinion",
    Column("prediction", String, ForeignKey(prediction.c.id), primary_key=True),
    _key("holder", String),
    _key("at"),
    *_required(REAL, "p"),
    *_optional(REAL, "bid", "ask"),
    sqlite_with_rowid=False,
)

user_vote = _table(
    "user_vote",
    Column("prediction", String, ForeignKey(prediction.c.id), primary_key=True),
    _key("caller", String),
    *_required(Boolean, "is_yes"),
    *_required(BigInteger, "voted_at"),
    Index(None, "caller"),
)

# Who gives forecasts of markets: `id` names it in the ledger, `name` in public, if it chose one. `caller` is None once
# its key is revoked. `record` are its scores, computed at `record_at`. `named_seq` is the row of the ledger from
# which on its forecasts count, `name_salt` the salt of the hash of `name` in the last such row.
forecaster = _table(
    "forecaster",
    _key("id", String),
    *_optional(String, "caller", "name"),
    *_required(BigInteger, "created_at"),
    *_optional(Text, "record"),
    *_optional(BigInteger, "record_at", "named_seq"),
    *_optional(String, "name_salt"),
    Index(None, "caller", unique=True),
    Index(None, "name", unique=True),
)

# Every forecast with the salt of its commitment, which is row `seq` of the ledger; and the scores of the forecasters of
# a settled market: their P(YES) at the voters' instant with its peer score, and time-weighted scores over `coverage`
# (0-1) of the life of the market.
forecast = _table(
    "forecast",
    _key("seq"),
    Column("prediction", String, ForeignKey(prediction.c.id), nullable=False),
    Column("forecaster", String, ForeignKey(forecaster.c.id), nullable=False),
    *_required(BigInteger, "at"),
    *_required(REAL, "p"),
    *_required(String, "salt"),
    Index(None, "prediction", "seq"),
    Index(None, "forecaster", "seq"),
)
forecast_score = _table(
    "forecast_score",
    Column("forecaster", String, ForeignKey(forecaster.c.id), primary_key=True),
    Column("prediction", String, ForeignKey(prediction.c.id), primary_key=True),
    *_required(BigInteger, "resolved_at"),
    *_optional(REAL, "opening", "opening_peer"),
    *_required(REAL, "brier", "log_score", "coverage", "peer"),
    Index(None, "resolved_at"),
)

# Committed price forecasts that wait for their outcome, and the sums of the scores of the others, live or backfilled.
# The ledger has all of them.
price_forecast = _json_table(
    "price_forecast",
    _key("at"),
    _key("asset", String),
    _key("horizon", String),
    *_required(BigInteger, "deadline"),
    *_required(Boolean, "backfilled"),
    Index(None, "deadline"),
)
price_book = _json_table("price_book", _key("name", String), *_required(BigInteger, "as_of"))

# The calls of apex on bitcoin's next day, with their layers.
apex_call = _json_table("apex_call", _key("at"), *_required(REAL, "p_up"), *_required(Boolean, "backfilled"))

headline = _json_table(
    "headline", _key("id", String), *_required(BigInteger, "published_at"), Index(None, "published_at")
)

# The last response of a news feed: its validators, and the instant before which it must not be asked again.
news_feed = _json_table("news_feed", _key("url", String))

# Append-only: triggers refuse to change or delete a row of these two tables.
ledger = _table(
    "ledger",
    _key("seq"),
    *_required(BigInteger, "recorded_at"),
    *_required(String, "kind", "subject"),
    *_required(Boolean, "backfilled"),
    *_required(Text, "body"),
    *_required(String, "previous", "hash"),
    *_optional(String, "form"),
    Index(None, "kind", "seq"),
    Index(None, "subject", "seq"),
)

ledger_root = _table(
    "ledger_root",
    _key("day", String),
    *_required(BigInteger, "first_seq", "last_seq"),
    *_required(String, "root", "head", "previous"),
    *_required(BigInteger, "signed_at"),
    *_required(String, "key", "signature"),
    Index(None, "last_seq"),
)

# What authorities outside signed of a root, each once.
ledger_timestamp = _table(
    "ledger_timestamp",
    _key("day", String),
    _key("authority", String),
    *_required(BigInteger, "stamped_at"),
    *_required(Text, "token"),
)

heartbeat = _table("heartbeat", _key("id", Integer), *_required(BigInteger, "at"))

# The cost of language models on a UTC day: reserved before a call, corrected after it.
spending = _table("spending", _key("day", String), *_required(BigInteger, "tokens"), *_required(REAL, "usd"))

# The tables from which an email and the texts of strangers are erased.
PERSONAL = (
    *(api_key, webhook, webhook_delivery, idempotency, prediction, prediction_vote, odds, opinion, user_vote),
    forecaster,
)

# The triggers that refuse to change a row, by dialect; an empty database gets them with the tables. On SQLite,
# INSERT OR REPLACE fires no DELETE trigger while recursive_triggers is off, which is the default.
_SQLITE_TRIGGERS = (
    ("update", "BEFORE UPDATE ON {table}"),
    ("delete", "BEFORE DELETE ON {table}"),
    ("replace", "BEFORE INSERT ON {table} WHEN EXISTS (SELECT {key} FROM {table} WHERE {key} = NEW.{key})"),
)
_APPEND_KEYS = {"ledger": "seq", "ledger_root": "day"}
LEDGER_GUARDS: dict[str, tuple[str, ...]] = {
    "sqlite": tuple(
        f"CREATE TRIGGER {table}_{name} {when.format(table=table, key=key)} "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
        for table, key in _APPEND_KEYS.items()
        for name, when in _SQLITE_TRIGGERS
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION refuse_to_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$",
        *(
            f"CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change()"
            for table in _APPEND_KEYS
        ),
    ),
}
