"""The complete schema. Instants are unix seconds, UTC; JSON is canonical text."""

from __future__ import annotations

from typing import Any

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


def _key(name: str, kind: TypeEngine[Any] | type[TypeEngine[Any]] = BigInteger) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _instant(name: str) -> Column[Any]:
    return Column(name, BigInteger, nullable=False)


def _json_table(name: str, *columns: Column[Any] | Index) -> Table:
    """A table of JSON values, each in the column `body`; the first columns are their key."""
    return Table(name, metadata, *columns, Column("body", Text, nullable=False))


# The world that the database belongs to: one row, written at the first start.
world = Table(
    "world",
    metadata,
    _key("id", Integer),
    Column("name", String(16), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("step", Integer, nullable=False),
    Column("history_from", BigInteger, nullable=False),
    _instant("world_origin"),
    _instant("wall_origin"),
    Column("speed", Float, nullable=False),
    Column("ends", BigInteger),
)

# Which secrets this database belongs to, without the secrets themselves. One that was replaced is accepted until the
# wall second `accepted_until`.
secret_fingerprint = Table(
    "secret_fingerprint",
    metadata,
    _key("name", String(16)),
    Column("fingerprint", String(16), nullable=False),
    Column("accepted_until", BigInteger),
)

bar = Table(
    "bar",
    metadata,
    _key("asset", String(16)),
    _key("step", Integer),
    _key("time"),
    Column("open", Float(53), nullable=False),
    Column("high", Float(53), nullable=False),
    Column("low", Float(53), nullable=False),
    Column("close", Float(53), nullable=False),
    Column("volume", Float(53), nullable=False),
    sqlite_with_rowid=False,
)

# Counts, for each asset, how often hourly bars were stored or built anew that a job process may keep in memory.
bar_revision = Table(
    "bar_revision",
    metadata,
    _key("asset", String(16)),
    Column("revision", Integer, nullable=False),
)

# What the sources have given of the bars of an asset and a length, "btc/300": a `Coverage`.
coverage = _json_table("coverage", _key("series", String(24)))

# Documents that jobs publish, as the bytes that are served.
snapshot = Table(
    "snapshot",
    metadata,
    _key("name", String(64)),
    _instant("as_of"),
    Column("etag", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("gzip", LargeBinary, nullable=False),
    Column("zstd", LargeBinary, nullable=False),
)

# The state of an asset at `as_of` that voters forecast from, and the parameters they were fitted to.
context = _json_table("context", _key("asset", String(16)), _instant("as_of"))
fit = _json_table("fit", _key("slot"))
# The track record of the voters.
record = _json_table("record", _key("id", Integer), _instant("as_of"))

# What the track record needs of the predictions that were resolved on a UTC day, by the unix second at which it begins.
# `body` is None where one was settled since; then it is made again of the predictions and their votes.
resolved_day = Table(
    "resolved_day",
    metadata,
    _key("day"),
    Column("body", Text),
)

# The other coins that were asked about, and the list of those that may be.
coin = _json_table("coin", _key("asset", String(16)), _instant("asked_at"), _instant("needed_until"), _instant("as_of"))
coin_list = _json_table("coin_list", _key("id", Integer), _instant("as_of"))

# The pool's P(higher a day later) and volatility of the coming week, a year, of an asset at the end of an hour.
hourly_vote = Table(
    "hourly_vote",
    metadata,
    _key("hour"),
    _key("asset", String(16)),
    Column("p_up", Float(53), nullable=False),
    Column("volatility", Float(53), nullable=False),
)

# The state of a lane after its last bar, and its equity at every bar; a bar is never applied twice.
lane = _json_table("lane", _key("name", String(32)), _instant("as_of"))
lane_bar = Table(
    "lane_bar",
    metadata,
    _key("lane", String(32)),
    _key("as_of"),
    Column("equity", Float(53), nullable=False),
    Column("status", String(16), nullable=False),
    sqlite_with_rowid=False,
)
lane_event = _json_table("lane_event", _key("lane", String(32)), _key("time"), _key("place", Integer))

job_run = Table(
    "job_run",
    metadata,
    _key("job", String(64)),
    _key("slot"),
    Column("state", String(8), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("added_at", Float(53)),
    Column("started_at", Float(53)),
    Column("next_at", Float(53), nullable=False),
    Column("owner", String(64)),
    Column("finished_at", Float(53)),
    Column("error", Text),
    Index(None, "state", "next_at"),
)

api_key = Table(
    "api_key",
    metadata,
    _key("id", String(8)),
    Column("hash", String(64), nullable=False),
    Column("email", String(254), nullable=False),
    Column("app_name", String(80)),
    Column("plan", String(16), nullable=False),
    Column("delegating", Boolean, nullable=False),
    _instant("created_at"),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    Index(None, "email"),
)

# Callers who may read and no longer write: an address, a key, or an end user of one, as limits count them.
block = Table(
    "block",
    metadata,
    _key("caller", String(128)),
    _instant("at"),
)

# Where events are sent: `cursor` is the last row of the ledger that is done, `held_until` the end of the lease of the
# process `owner` that delivers now. Instants here are wall seconds.
webhook = Table(
    "webhook",
    metadata,
    _key("id", String(32)),
    Column("key", String(8), ForeignKey(api_key.c.id), nullable=False),
    Column("url", Text, nullable=False),
    Column("events", Text, nullable=False),
    Column("assets", Text, nullable=False),
    _instant("created_at"),
    Column("rotations", Integer, nullable=False),
    Column("rotated_at", BigInteger),
    Column("cursor", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("failing_since", BigInteger),
    Column("next_at", Float(53), nullable=False),
    Column("paused_at", BigInteger),
    Column("paused_reason", Text),
    Column("owner", String(32)),
    Column("held_until", Float(53), nullable=False),
    Index(None, "key"),
)
webhook_delivery = Table(
    "webhook_delivery",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("webhook", String(32), ForeignKey(webhook.c.id), nullable=False),
    Column("message", String(64), nullable=False, unique=True),
    Column("seq", BigInteger),
    Column("event", String(32), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("status", Integer),
    Column("error", Text),
    _instant("first_at"),
    _instant("last_at"),
    Column("duration_ms", Integer, nullable=False),
    Index(None, "webhook", "number"),
)

rate_window = Table(
    "rate_window",
    metadata,
    _key("key", String(255)),
    _instant("ends"),
    Column("hits", Integer, nullable=False),
    Index(None, "ends"),
)

# A hit of a window that is refunded at the wall second `expires_at` unless its request settles it before.
reservation = Table(
    "reservation",
    metadata,
    _key("id", String(16)),
    Column("key", String(255), nullable=False),
    _instant("ends"),
    _instant("expires_at"),
    Index(None, "expires_at"),
)

idempotency = Table(
    "idempotency",
    metadata,
    _key("caller", String(128)),
    _key("key", String(255)),
    Column("digest", String(64), nullable=False),
    _instant("created_at"),
    Column("status", Integer),
    Column("body", LargeBinary),
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
prediction = Table(
    "prediction",
    metadata,
    _key("id", String(96)),
    Column("category", String(16), nullable=False),
    Column("number", Integer, unique=True),
    Column("question", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("resolver", String(16), nullable=False),
    _instant("created_at"),
    _instant("closes_at"),
    _instant("deadline"),
    Column("backfilled", Boolean, nullable=False),
    Column("author", String(128)),
    Column("salt", String(32)),
    Column("voted_at", BigInteger),
    Column("commitment", Text),
    Column("seq", BigInteger),
    Column("hash", String(64)),
    Column("outcome", String(8)),
    Column("resolved_at", BigInteger),
    Column("evidence", Text),
    Column("resolved_by", String(80)),
    Column("body", Text),
    Column("asset", String(16), nullable=False, server_default=""),
    Column("template", String(16), nullable=False, server_default=""),
    Column("divergence", Float(53)),
    Index(None, "outcome", "deadline"),
    Index(None, "resolved_at"),
    Index(None, "author", "created_at", "id"),
    Index("ix_prediction_by_deadline", "deadline", "id", *_FILTERS, **_LISTED),
    Index("ix_prediction_by_creation", "created_at", "id", *_FILTERS, **_LISTED),
    Index("ix_prediction_by_divergence", "divergence", "id", *_FILTERS, **_LISTED),
)

prediction_vote = Table(
    "prediction_vote",
    metadata,
    Column("prediction", String(96), ForeignKey(prediction.c.id), primary_key=True),
    _key("place", Integer),
    Column("voter", String(32), nullable=False),
    Column("engine", String(128), nullable=False),
    Column("p", Float(53), nullable=False),
    Column("weight", Float(53), nullable=False),
    Column("reasoning", Text, nullable=False),
    Column("fallback", Boolean, nullable=False, server_default=false()),
    Column("prompt", String(64)),
    Column("tokens", BigInteger),
    Column("usd", Float(53)),
    Column("p_up", Float(53)),
)

# The inputs of the voters by their hash, which the ledger holds: once for all votes cast from them; `voted_at` and
# `asset` are those of the first vote.
vote_input = _json_table(
    "vote_input",
    _key("hash", String(64)),
    _instant("voted_at"),
    Column("asset", String(16), nullable=False),
    Index(None, "voted_at", "hash"),
    Index(None, "asset", "voted_at", "hash"),
)

# The prices of an outside market when the votes were cast.
odds = Table(
    "odds",
    metadata,
    Column("prediction", String(96), ForeignKey(prediction.c.id), primary_key=True),
    Column("source", String(16), nullable=False),
    Column("market_id", String(128), nullable=False),
    Column("url", Text),
    Column("p_yes", Float(53), nullable=False),
    Column("bid", Float(53)),
    Column("ask", Float(53)),
    Column("volume_usd", Float(53)),
    _instant("fetched_at"),
)

# P(YES) of an open market at an hour, as seen by the voters' pool (`ai`) or the outside market (`odds`). It is never
# scored, and deleted a month after the settlement.
opinion = Table(
    "opinion",
    metadata,
    Column("prediction", String(96), ForeignKey(prediction.c.id), primary_key=True),
    _key("holder", String(8)),
    _key("at"),
    Column("p", Float(53), nullable=False),
    Column("bid", Float(53)),
    Column("ask", Float(53)),
    sqlite_with_rowid=False,
)

user_vote = Table(
    "user_vote",
    metadata,
    Column("prediction", String(96), ForeignKey(prediction.c.id), primary_key=True),
    _key("caller", String(128)),
    Column("is_yes", Boolean, nullable=False),
    _instant("voted_at"),
    Index(None, "caller"),
)

# Who gives forecasts of markets: `id` names it in the ledger, `name` in public, if it chose one. `caller` is None once
# its key is revoked. `record` are its scores, computed at `record_at`. `named_seq` is the row of the ledger from
# which on its forecasts count, `name_salt` the salt of the hash of `name` in the last such row.
forecaster = Table(
    "forecaster",
    metadata,
    _key("id", String(32)),
    Column("caller", String(128)),
    Column("name", String(32)),
    _instant("created_at"),
    Column("record", Text),
    Column("record_at", BigInteger),
    Column("named_seq", BigInteger),
    Column("name_salt", String(32)),
    Index(None, "caller", unique=True),
    Index(None, "name", unique=True),
)

# Every forecast with the salt of its commitment, which is row `seq` of the ledger; and the scores of the forecasters of
# a settled market: their P(YES) at the voters' instant with its peer score, and time-weighted scores over `coverage`
# (0-1) of the life of the market.
forecast = Table(
    "forecast",
    metadata,
    _key("seq"),
    Column("prediction", String(96), ForeignKey(prediction.c.id), nullable=False),
    Column("forecaster", String(32), ForeignKey(forecaster.c.id), nullable=False),
    _instant("at"),
    Column("p", Float(53), nullable=False),
    Column("salt", String(64), nullable=False),
    Index(None, "prediction", "seq"),
    Index(None, "forecaster", "seq"),
)
forecast_score = Table(
    "forecast_score",
    metadata,
    Column("forecaster", String(32), ForeignKey(forecaster.c.id), primary_key=True),
    Column("prediction", String(96), ForeignKey(prediction.c.id), primary_key=True),
    _instant("resolved_at"),
    Column("opening", Float(53)),
    Column("opening_peer", Float(53)),
    Column("brier", Float(53), nullable=False),
    Column("log_score", Float(53), nullable=False),
    Column("coverage", Float(53), nullable=False),
    Column("peer", Float(53), nullable=False),
    Index(None, "resolved_at"),
)

# Committed price forecasts that wait for their outcome, and the sums of the scores of the others, live or backfilled.
# The ledger has all of them.
price_forecast = _json_table(
    "price_forecast",
    _key("at"),
    _key("asset", String(16)),
    _key("horizon", String(8)),
    _instant("deadline"),
    Column("backfilled", Boolean, nullable=False),
    Index(None, "deadline"),
)
price_book = _json_table("price_book", _key("name", String(16)), _instant("as_of"))

# The calls of apex on bitcoin's next day, with their layers.
apex_call = _json_table(
    "apex_call", _key("at"), Column("p_up", Float(53), nullable=False), Column("backfilled", Boolean, nullable=False)
)

headline = _json_table("headline", _key("id", String(64)), _instant("published_at"), Index(None, "published_at"))

# The last response of a news feed: its validators, and the instant before which it must not be asked again.
news_feed = _json_table("news_feed", _key("url", String(512)))

# Append-only: triggers refuse to change or delete a row of these two tables.
ledger = Table(
    "ledger",
    metadata,
    _key("seq"),
    _instant("recorded_at"),
    Column("kind", String(16), nullable=False),
    Column("subject", String(96), nullable=False),
    Column("backfilled", Boolean, nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("form", String(16)),
    Index(None, "kind", "seq"),
    Index(None, "subject", "seq"),
)

ledger_root = Table(
    "ledger_root",
    metadata,
    _key("day", String(10)),
    Column("first_seq", BigInteger, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("root", String(64), nullable=False),
    Column("head", String(64), nullable=False),
    Column("previous", String(64), nullable=False),
    _instant("signed_at"),
    Column("key", String(64), nullable=False),
    Column("signature", String(128), nullable=False),
    Index(None, "last_seq"),
)

# What authorities outside signed of a root, each once.
ledger_timestamp = Table(
    "ledger_timestamp",
    metadata,
    _key("day", String(10)),
    _key("authority", String(256)),
    _instant("stamped_at"),
    Column("token", Text, nullable=False),
)

heartbeat = Table(
    "heartbeat",
    metadata,
    _key("id", Integer),
    _instant("at"),
)

# The cost of language models on a UTC day: reserved before a call, corrected after it.
spending = Table(
    "spending",
    metadata,
    _key("day", String(10)),
    Column("tokens", BigInteger, nullable=False),
    Column("usd", Float(53), nullable=False),
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
