"""Windows of one minute in Redis, shared by several web processes.

Redis counts a hit before it is compared with the cap, so a refused hit is counted too. As a request is one hit, this
changes no decision: a full window stays full until it ends.
"""

from __future__ import annotations

import structlog
from limits.storage import RedisStorage
from redis import ConnectionPool, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.access.quota import window_end
from service.api.windows import MinuteWindows
from service.market.instants import MINUTE
from service.store.windows import Window

TIMEOUT_S = 0.3
PAUSE_S = 5

log = structlog.get_logger(__name__)


class RedisMinuteWindows(MinuteWindows):
    """Windows of one minute counted over all processes; while Redis is away each process counts its own."""

    def __init__(self, url: str) -> None:
        super().__init__()
        once = Retry(NoBackoff(), 0)
        pool = ConnectionPool.from_url(url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, retry=once)
        self._redis = RedisStorage(url, pool, key_prefix="ninefold")
        self._away_until = 0.0

    def take(self, key: str, cap: int, now: float, amount: int = 1) -> Window | None:
        ends = window_end(now, MINUTE)
        if now < self._away_until:
            return super().take(key, cap, now, amount)
        try:
            hits = self._redis.incr(f"{key}/{ends}", MINUTE, amount)
        except RedisError as error:
            self._pause(now, error)
            return super().take(key, cap, now, amount)
        return Window(hits, ends) if hits <= cap else None

    def _pause(self, now: float, error: RedisError) -> None:
        """Leave Redis alone for a while: asking it each time would cost every caller the timeout."""
        self._away_until = now + PAUSE_S
        detail = "limits are counted per process"
        log.warning("redis_unavailable", detail=detail, error=str(error), pause_s=PAUSE_S)
