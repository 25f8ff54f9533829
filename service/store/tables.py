"""The complete schema. Instants are unix seconds, UTC; JSON is canonical text."""

from __future__ import annotations

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
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# The world that the database belongs to: one row, written at the first start.
world = Table(
    "world",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", String(16), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("step", Integer, nullable=False),
    Column("history_from", BigInteger, nullable=False),
    Column("world_origin", BigInteger, nullable=False),
    Column("wall_origin", BigInteger, nullable=False),
    Column("speed", Float, nullable=False),
    Column("ends", BigInteger),
)

bar = Table(
    "bar",
    metadata,
    Column("asset", String(16), primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("time", BigInteger, primary_key=True, autoincrement=False),
    Column("open", Float(53), nullable=False),
    Column("high", Float(53), nullable=False),
    Column("low", Float(53), nullable=False),
    Column("close", Float(53), nullable=False),
    Column("volume", Float(53), nullable=False),
    sqlite_with_rowid=False,
)

# Documents that jobs publish, as the bytes that are served.
snapshot = Table(
    "snapshot",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("as_of", BigInteger, nullable=False),
    Column("etag", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("gzip", LargeBinary, nullable=False),
    Column("zstd", LargeBinary, nullable=False),
)

# The state of an asset at `as_of` that voters forecast from, and the parameters they were fitted to.
context = Table(
    "context",
    metadata,
    Column("asset", String(16), primary_key=True),
    Column("as_of", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)
fit = Table(
    "fit",
    metadata,
    Column("slot", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)
# The track record of the voters.
record = Table(
    "record",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("as_of", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)

# The pool's P(higher a day later) and volatility of the coming week, a year, of an asset at the end of an hour.
hourly_vote = Table(
    "hourly_vote",
    metadata,
    Column("hour", BigInteger, primary_key=True, autoincrement=False),
    Column("asset", String(16), primary_key=True),
    Column("p_up", Float(53), nullable=False),
    Column("volatility", Float(53), nullable=False),
)

# The state of a lane after its last bar, and its equity at every bar; a bar is never applied twice.
lane = Table(
    "lane",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("as_of", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)
lane_bar = Table(
    "lane_bar",
    metadata,
    Column("lane", String(32), primary_key=True),
    Column("as_of", BigInteger, primary_key=True, autoincrement=False),
    Column("equity", Float(53), nullable=False),
    Column("status", String(16), nullable=False),
    sqlite_with_rowid=False,
)
lane_event = Table(
    "lane_event",
    metadata,
    Column("lane", String(32), primary_key=True),
    Column("time", BigInteger, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)

job_run = Table(
    "job_run",
    metadata,
    Column("job", String(64), primary_key=True),
    Column("slot", BigInteger, primary_key=True, autoincrement=False),
    Column("state", String(8), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("next_at", Float(53), nullable=False),
    Column("owner", String(64)),
    Column("finished_at", Float(53)),
    Column("error", Text),
    Index(None, "state", "next_at"),
)

api_key = Table(
    "api_key",
    metadata,
    Column("id", String(8), primary_key=True),
    Column("hash", String(64), nullable=False),
    Column("email", String(254), nullable=False),
    Column("app_name", String(80)),
    Column("plan", String(16), nullable=False),
    Column("delegating", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    Index(None, "email"),
)

rate_window = Table(
    "rate_window",
    metadata,
    Column("key", String(255), primary_key=True),
    Column("ends", BigInteger, nullable=False),
    Column("hits", Integer, nullable=False),
    Index(None, "ends"),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("caller", String(128), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("status", Integer),
    Column("body", LargeBinary),
    Index(None, "created_at"),
)

# A market, a challenge or an answer of the oracle: its question, its commitment and its settlement. `body` is an answer
# as it was published.
prediction = Table(
    "prediction",
    metadata,
    Column("id", String(96), primary_key=True),
    Column("category", String(16), nullable=False),
    Column("number", Integer, unique=True),
    Column("question", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("resolver", String(16), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("closes_at", BigInteger, nullable=False),
    Column("deadline", BigInteger, nullable=False),
    Column("backfilled", Boolean, nullable=False),
    Column("author", String(128)),
    Column("voted_at", BigInteger),
    Column("commitment", Text),
    Column("seq", BigInteger),
    Column("hash", String(64)),
    Column("outcome", String(8)),
    Column("resolved_at", BigInteger),
    Column("evidence", Text),
    Column("resolved_by", String(80)),
    Column("body", Text),
    Index(None, "outcome", "deadline"),
)

prediction_vote = Table(
    "prediction_vote",
    metadata,
    Column("prediction", String(96), ForeignKey(prediction.c.id), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("voter", String(32), nullable=False),
    Column("engine", String(128), nullable=False),
    Column("p", Float(53), nullable=False),
    Column("weight", Float(53), nullable=False),
    Column("reasoning", Text, nullable=False),
    Column("fallback", Boolean, nullable=False, server_default=false()),
    Column("prompt", String(64)),
    Column("tokens", BigInteger),
    Column("usd", Float(53)),
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
    Column("fetched_at", BigInteger, nullable=False),
)

user_vote = Table(
    "user_vote",
    metadata,
    Column("prediction", String(96), ForeignKey(prediction.c.id), primary_key=True),
    Column("caller", String(128), primary_key=True),
    Column("is_yes", Boolean, nullable=False),
    Column("voted_at", BigInteger, nullable=False),
    Index(None, "caller"),
)

# Committed price forecasts that wait for their outcome, and the sums of the scores of the others, live or backfilled.
# The ledger has all of them.
price_forecast = Table(
    "price_forecast",
    metadata,
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("asset", String(16), primary_key=True),
    Column("horizon", String(8), primary_key=True),
    Column("deadline", BigInteger, nullable=False),
    Column("backfilled", Boolean, nullable=False),
    Column("body", Text, nullable=False),
    Index(None, "deadline"),
)
price_book = Table(
    "price_book",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("as_of", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)

# The calls of apex on bitcoin's next day, with their layers.
apex_call = Table(
    "apex_call",
    metadata,
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("p_up", Float(53), nullable=False),
    Column("backfilled", Boolean, nullable=False),
    Column("body", Text, nullable=False),
)

headline = Table(
    "headline",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("published_at", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    Index(None, "published_at"),
)

# The last response of a news feed: its validators, and the instant before which it must not be asked again.
news_feed = Table(
    "news_feed",
    metadata,
    Column("url", String(512), primary_key=True),
    Column("body", Text, nullable=False),
)

# Append-only: triggers refuse to change or delete a row of these two tables.
ledger = Table(
    "ledger",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("recorded_at", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("subject", String(96), nullable=False),
    Column("backfilled", Boolean, nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Index(None, "kind", "seq"),
    Index(None, "subject", "seq"),
)

ledger_root = Table(
    "ledger_root",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("first_seq", BigInteger, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("root", String(64), nullable=False),
    Column("head", String(64), nullable=False),
    Column("previous", String(64), nullable=False),
    Column("signed_at", BigInteger, nullable=False),
    Column("key", String(64), nullable=False),
    Column("signature", String(128), nullable=False),
    Index(None, "last_seq"),
)

heartbeat = Table(
    "heartbeat",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
)

# The cost of language models on a UTC day: reserved before a call, corrected after it.
spending = Table(
    "spending",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("tokens", BigInteger, nullable=False),
    Column("usd", Float(53), nullable=False),
)
