"""Bars of an exchange, and the ways in which a server fails."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

STEP = 300
SINCE = int(datetime(2026, 1, 7, 12, tzinfo=UTC).timestamp())
SHORT_S = 1.5  # shared by the exchanges that are tried; a busy machine needs tenths of a second


def rows(count: int, since: int = SINCE, price: float = 100.0) -> list[tuple]:
    return [(since + STEP * i, price, price + 2, price - 1, price + 1, 5.0) for i in range(count)]


def listing(pair_rows: list[tuple]) -> dict[str, list[tuple]]:
    return {"BTC/USD": pair_rows}


def status(code: int):
    return lambda handler: handler.reply(code, b'{"error": ["not today"], "message": "not today"}')


def body(content: bytes, code: int = 200, **headers: str):
    return lambda handler: handler.reply(code, content, **headers)


redirect = body(b"", 302, Location="/elsewhere")


def hang(handler) -> None:
    handler.exchange.closing.wait()


class Waiting:
    """Requests without an answer: how many clients wait for one, and how many did at the same time."""

    def __init__(self) -> None:
        self.present = self.most = 0
        self._lock = threading.Lock()

    def hang(self, handler) -> None:
        with self._lock:
            self.present += 1
            self.most = max(self.most, self.present)
        handler.close_connection = True
        handler.rfile.read(1)  # until the client leaves
        with self._lock:
            self.present -= 1


def late_and_hanging(handler) -> None:
    """Headers and a blank shortly before a deadline, then nothing: no single read is late."""
    handler.exchange.closing.wait(0.35)
    handler.reply(200, b" ", length=100)
    handler.exchange.closing.wait()


def drip(handler) -> None:
    """An answer that never ends, a byte at a time, each well inside any timeout for one read."""
    handler.reply(200, b"", length=10_000)
    while not handler.exchange.closing.wait(0.02):
        handler.wfile.write(b" ")


def drip_headers(handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.exchange.closing.wait(0.02):
        handler.wfile.write(b"x")


def flood(handler) -> None:
    handler.reply(200, b"[", length=2**40)
    while not handler.exchange.closing.is_set():
        handler.wfile.write(b" " * 2**20)


def cut_short(handler) -> None:
    handler.reply(200, b'{"error": [], "resu', length=1000)
    handler.close_connection = True


def padded_with(blanks: int):
    """The honest answer behind so many blanks, which JSON allows."""

    def reply(handler) -> None:
        bars = [[time, *map(str, prices), "0", str(volume), 1] for time, *prices, volume in rows(10)]
        names = str(bars).replace("'", '"')
        handler.reply(200, b'{"error": [],' + b" " * blanks + f'"result": {{"BTCUSD": {names}}}}}'.encode())

    return reply
