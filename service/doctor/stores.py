"""The checks of what the service keeps things in: the database, Redis and the broker that rings jobs."""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import redis
from dramatiq.brokers.rabbitmq import RabbitmqBroker
from pika import exceptions as amqp
from redis.backoff import NoBackoff
from redis.retry import Retry
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

from service.config import Settings, SettingsError
from service.doctor.checks import Check, Fails, Told
from service.jobs.doorbell import open_broker
from service.store import migrations
from service.store.database import Database

NO_DATABASE = "DATABASE_URL: it is no address of a database, postgresql://… or sqlite:///…"
KINDS = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def database_check(settings: Settings) -> Check:
    """Whether the database can be read and has today's schema; one that is not there yet is made by the first start."""
    address = address_of(settings)
    kind = KINDS[address.get_backend_name()]
    where = address.database if kind == "SQLite" else f"{address.host or 'its socket'}/{address.database}"
    return Check("database", f"{kind} {where}", settings.source_timeout_s, partial(_database, address))


def address_of(settings: Settings) -> URL:
    """The address of the database; SettingsError where it is none."""
    try:
        address = make_url(settings.database)
    except ArgumentError:
        raise SettingsError(NO_DATABASE) from None
    is_file = address.drivername == "sqlite" and bool(address.database)
    if not is_file and address.drivername != "postgresql+psycopg":
        raise SettingsError(NO_DATABASE)
    return address


def is_missing(address: URL) -> bool:
    """Whether it is an SQLite file that is not there yet: opening it would make it."""
    return address.get_backend_name() == "sqlite" and not Path(address.database).is_file()


def _database(address: URL) -> Told:
    if is_missing(address):
        return _of_missing(Path(address.database))
    try:
        with closing(Database(address.render_as_string(hide_password=False))) as database, database.reading() as db:
            return _of_revision(migrations.current(db), migrations.head())
    except OperationalError:
        raise Fails("It does not answer: is it running, and are its address and password right?") from None
    except SQLAlchemyError:
        raise Fails("It answers, and cannot be read: is it a database of this service?") from None


def _of_missing(file: Path) -> Told:
    folder = next(parent for parent in file.absolute().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise Fails(f"It is not there, and cannot be made: {folder} takes no new file.")
    return Told("not there yet: the first start makes it")


def _of_revision(current: str | None, head: str) -> Told:
    if current is None:
        return Told("empty: the first start makes its tables")
    if current > head:
        raise Fails(f"It is at migration {current}, newer than this version, which knows {head}: update the service.")
    if current < head:
        raise Fails(f"It is at migration {current} of {head}: the next start brings it up to date.")
    return Told(f"at migration {current}, the newest")


def redis_check(settings: Settings) -> Check:
    """Whether Redis answers."""
    return _redis_at("redis", "REDIS_URL", settings.redis_url.get_secret_value(), settings.source_timeout_s)


def broker_check(settings: Settings) -> Check:
    """Whether the broker that rings jobs answers."""
    url, seconds = settings.broker, settings.source_timeout_s
    if url.startswith(("redis://", "rediss://")):
        return _redis_at("broker", "BROKER_URL", url, seconds)
    try:
        # Its options are those of the service; it connects only when it is asked.
        broker = open_broker(url)
    except ValueError:
        raise SettingsError("BROKER_URL: it is no address of a broker, amqp://… or redis://…") from None
    return Check("broker", f"RabbitMQ at {_host(url)}", seconds, partial(_open_channel, broker))


def _redis_at(part: str, option: str, url: str, seconds: float) -> Check:
    timeouts = {"socket_timeout": seconds, "socket_connect_timeout": seconds, "retry": Retry(NoBackoff(), 0)}
    try:
        client = redis.Redis.from_url(url, **timeouts)
    except ValueError:
        raise SettingsError(f"{option}: it is no address of a Redis, redis://… or rediss://…") from None
    return Check(part, f"Redis at {_host(url)}", seconds, partial(_ping, client))


UNREACHABLE = "It could not be reached: is it running, and is its address right?"
REFUSED = "It refused the name or the password of its address."
LATE = "It did not answer in time."
# The first that fits counts: a refused password is a kind of failed connection.
FAULTS: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
    ((redis.AuthenticationError, redis.exceptions.NoPermissionError), REFUSED),
    ((redis.TimeoutError,), LATE),
    ((redis.ConnectionError,), UNREACHABLE),
    ((amqp.ProbableAuthenticationError, amqp.AuthenticationError, amqp.ProbableAccessDeniedError), REFUSED),
    ((amqp.AMQPConnectionError, OSError), UNREACHABLE),
)


def _ping(client: redis.Redis) -> Told:
    with closing(client):
        try:
            client.ping()
        except redis.RedisError as error:
            raise Fails(_in_words(error)) from None
    return Told("answers")


def _open_channel(broker: RabbitmqBroker) -> Told:
    with closing(broker):
        try:
            broker.channel.basic_qos(prefetch_count=1)
        except (amqp.AMQPError, OSError) as error:
            raise Fails(_in_words(error)) from None
    return Told("answers")


def _in_words(error: Exception) -> str:
    known = (sentence for kinds, sentence in FAULTS if isinstance(error, kinds))
    return next(known, f"It failed: {type(error).__name__}.")


def _host(url: str) -> str:
    """The host of an address, and nothing else: name and password stand before it."""
    return urlsplit(url).hostname or "its socket"
