"""A Redis server of a test run or a measurement, for which `redis-server` must be installed."""

from __future__ import annotations

import subprocess

import redis

from tests.processes import free_port, wait_until


class OwnRedis:
    """An empty Redis server that nobody else uses; it may be killed, frozen and wiped."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis.from_url(self.url, socket_timeout=5)
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = ["--port", str(self.port), "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL)
        wait_until(self._answers)

    def stop(self) -> None:
        """End it at once, with all that it holds."""
        self.process.kill()
        self.process.wait()

    def _answers(self) -> bool:
        assert self.process.poll() is None, f"redis-server ended at once on port {self.port}"
        try:
            return bool(self.client.ping())
        except redis.RedisError:
            return False
