"""A webhook receiver that verifies with the library of Standard Webhooks, and lane trades to be told about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from standardwebhooks import Webhook, WebhookVerificationError

from service.access.quota import Plan
from service.ledger.chain import LedgerRow
from service.store import keys, ledger, notifications
from service.store.database import Database
from service.store.notifications import WebhookRow

WORLD_NOW = 1_795_262_520  # 2026-11-21T12:02:00Z


@dataclass
class Receiver:
    """What came: (webhook-id, document) of each verified message, and how many were not verified.

    `answer` gives the status of the answer to a message, by default 204.
    """

    secret: str = ""
    verified: list[tuple[str, dict]] = field(default_factory=list)
    forged: int = 0
    answer: Callable[[dict], int] = lambda _document: 204
    url: str = ""

    @property
    def ids(self) -> list[str]:
        """The ids in the order in which they came."""
        return [id for id, _ in self.verified]

    @property
    def seqs(self) -> list[int]:
        """The ledger numbers in the order in which they came for the first time."""
        return list(dict.fromkeys(document["id"] for _, document in self.verified))

    def receive(self, body: bytes, headers: dict[str, str]) -> int:
        try:
            document = Webhook(self.secret).verify(body, headers)
        except WebhookVerificationError:
            self.forged += 1
            return 401
        self.verified.append((headers["webhook-id"], document))
        return self.answer(document)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that listens on this machine."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = receiver.receive(body, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(status)
            self.send_header("Content-Length", "0")
            if 300 <= status < 400:
                self.send_header("Location", receiver.url)
            self.end_headers()

        def log_message(self, *arguments) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()


def lane_row(number: int, kind: str = "trade", asset: str = "btc", *, backfilled: bool = False) -> LedgerRow:
    """The row of an action of a lane."""
    body = {
        "kind": kind,
        "time": WORLD_NOW,
        "subject": asset,
        "note": f"trade {number}",
        "price": 60_000.0,
        "value_usd": 100.0,
        "cost_usd": 0.1,
        "pnl_usd": None,
    }
    return LedgerRow("lane_trade", "trend", body, backfilled)


def trade(database: Database, count: int, **more) -> list[int]:
    """Record this many trades of a lane; returns the numbers of their rows."""
    with database.writing() as db:
        entries = ledger.append(db, [lane_row(n, **more) for n in range(count)], WORLD_NOW)
    return [entry.seq for entry in entries]


def endpoint(
    database: Database,
    url: str,
    now: float,
    plan: Plan = "paid",
    events=(),
    assets=(),
    secret: bytes = b"secret",
    key: str = "",
) -> WebhookRow:
    """An endpoint of this key, else of one of its own, which gets what is recorded from now on."""
    with database.writing() as db:
        owner = key or keys.register_key(db, secret, f"{plan}@example.com", now, plan=plan)[1].id
        return notifications.add_webhook(db, owner, url, events, assets, ledger.last_seq(db), int(now))
