"""The web over a database of its own and a clock that the test sets, with a view to ask and one to look at.

`python -m tests.api.web DATABASE_URL KEY CALLS` is one of several processes: it asks from as many threads at once
and prints how often each status came.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

from flask import Blueprint, Flask
from werkzeug.test import TestResponse

from service.api.application import create_app
from service.api.auth import Caller
from service.api.inputs import Body
from service.api.operations import operation
from service.api.services import Services
from service.api.windows import refund
from service.config import Settings
from service.errors import InvalidRequest, ServiceUnavailable
from service.market.instants import WorldClock
from service.store import keys
from service.store.database import Database
from service.store.secret import KeySecrets
from tests.forecasting.made import panel_of

NOON = int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp())
MIDNIGHT = NOON + 12 * 3600
EMAIL = "you@example.com"
ADDRESS = "203.0.113.7"
SECRET = b"service secret"
TELEMETRY = "/api/openapi-lite.json"


class Question(Body):
    """What the test's view is asked for."""

    want: str = "an answer"


def _who(caller: Caller) -> dict[str, str]:
    """Who looks."""
    return {"caller": caller.id}


def rate_headers(response: TestResponse) -> dict[str, str]:
    """The headers of an answer that speak of limits."""
    return {name: value for name, value in response.headers if "RateLimit" in name or name == "Retry-After"}


@dataclass
class Web:
    """An application and its callers. `now` is its wall clock."""

    database: Database
    settings: Settings = field(default_factory=Settings)
    now: float = NOON
    secret: bytes = SECRET
    secrets: KeySecrets | None = None

    def __post_init__(self) -> None:
        self.app = self.started()

    @property
    def services(self) -> Services:
        return Services(
            settings=self.settings,
            database=self.database,
            clock=WorldClock("simulated"),
            step=300,
            panel=panel_of(()),
            key_secrets=self.secrets or KeySecrets(self.secret),
            now=lambda: self.now,
        )

    def started(self) -> Flask:
        """The application as a process that starts now would make it."""
        app = create_app(self.services)
        asking = Blueprint("test", __name__)
        asking.post("/ask")(operation(tag="Test", limit="daily", key="required", retryable=True)(self._answer))
        asking.get("/look")(operation(tag="Test", limit=None, key="welcome")(_who))
        app.register_blueprint(asking)
        return app

    def _answer(self, body: Question) -> dict[str, str]:
        """Answer as wanted."""
        if body.want == "a refusal":
            raise InvalidRequest("Not like this.")
        if body.want == "no voters":
            raise ServiceUnavailable("No voters are available.")
        if body.want == "to give back twice":
            refund()
            raise InvalidRequest("Not like this.")
        if body.want == "a fault":
            raise RuntimeError("broken")
        if body.want == "a fault after midnight":
            self.now = MIDNIGHT
            raise RuntimeError("broken")
        return {"answer": "yes"}

    def send(
        self, method: str, path: str, *, key: str | None = None, address: str = ADDRESS, headers=(), **more
    ) -> TestResponse:
        """One request, from a caller of its own so that threads may send at once."""
        headers = {**dict(headers), **({"X-API-Key": key} if key else {})}
        environment = {"REMOTE_ADDR": address}
        return self.app.test_client().open(path, method=method, headers=headers, environ_base=environment, **more)

    def ask(self, key: str | None, want: str = "an answer", **more) -> TestResponse:
        """One question that counts against the daily quota."""
        return self.send("POST", "/ask", key=key, json={"want": want}, **more)

    def statuses(self, key: str, calls: int, **more) -> Counter:
        """How often each status came of questions one after the other."""
        return Counter(self.ask(key, **more).status_code for _ in range(calls))

    def register(self, email: str = EMAIL, **more) -> TestResponse:
        return self.send("POST", "/api/v1/register", json={"email": email}, **more)

    def granted(self, email: str = EMAIL, **granted) -> str:
        """A key that an operator minted."""
        with self.database.writing() as db:
            return keys.register_key(db, self.secret, email, self.now, **granted)[0]

    def burst(self, key: str, calls: int) -> Counter:
        """How often each status came of questions by as many threads at once."""
        with ThreadPoolExecutor(calls) as threads:
            return Counter(threads.map(lambda _: self.ask(key).status_code, range(calls)))


if __name__ == "__main__":
    url, key, calls = sys.argv[1:]
    print(json.dumps(Web(Database(url)).burst(key, int(calls))))


def looked(web: Web, calls: int, **more) -> Counter:
    """How often each status came of requests one after the other."""
    return Counter(web.send("GET", TELEMETRY, **more).status_code for _ in range(calls))
