"""The web over a database of its own and a clock that the test sets, with a view to ask and one to look at."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
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
from service.config import Settings
from service.errors import InvalidRequest, ServiceUnavailable
from service.forecasting.voters.panel import Panel
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
STEP = 300
TELEMETRY = "/api/challenges/active"


class Question(Body):
    """What the test's view is asked for."""

    wish: str = "an answer"


def _who(caller: Caller) -> dict[str, str]:
    """Who looks."""
    return {"caller": caller.id}


def services(
    database: Database,
    settings: Settings | None = None,
    *,
    now: Callable[[], float] = time.time,
    clock: WorldClock | None = None,
    panel: Panel | None = None,
    key_secrets: KeySecrets | None = None,
) -> Services:
    """The services of a simulated world, by default at the time of this machine and with a panel of nobody."""
    return Services(
        settings or Settings(world="simulated"),
        database,
        clock or WorldClock("simulated"),
        STEP,
        panel or panel_of(()),
        key_secrets or KeySecrets(SECRET),
        now,
    )


def rate_headers(response: TestResponse) -> dict[str, str]:
    """The headers of an answer that speak of limits."""
    return {name: value for name, value in response.headers if "RateLimit" in name or name == "Retry-After"}


def refusal_of(answer: TestResponse) -> tuple[int | str, ...]:
    """The status and the code of a refusal, and the fields that it names as wrong."""
    return answer.status_code, answer.json["code"], *(error["field"] for error in answer.json.get("errors", ()))


def sent(
    app: Flask, method: str, path: str, *, key: str | None = None, address: str = ADDRESS, headers=(), **options
) -> TestResponse:
    """The answer to one request, from a caller of its own so that threads may send at once."""
    headers = dict(headers) | ({"X-API-Key": key} if key else {})
    environment = {"REMOTE_ADDR": address}
    return app.test_client().open(path, method=method, headers=headers, environ_base=environment, **options)


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
        secrets = self.secrets or KeySecrets(self.secret)
        return services(self.database, self.settings, now=lambda: self.now, key_secrets=secrets)

    def started(self) -> Flask:
        """The application as a process that starts now would make it."""
        app = create_app(self.services)
        views = Blueprint("test", __name__)
        views.post("/ask")(operation(tag="Test", limit="daily", key="required")(self._answer))
        views.get("/look")(operation(tag="Test", limit=None, key="welcome")(_who))
        app.register_blueprint(views)
        return app

    def _answer(self, body: Question) -> dict[str, str]:
        """Answer as wanted."""
        if body.wish == "a refusal":
            raise InvalidRequest("Not like this.")
        if body.wish == "no voters":
            raise ServiceUnavailable("No voters are available.")
        if body.wish == "a fault":
            raise RuntimeError("broken")
        return {"answer": "yes"}

    def send(self, method: str, path: str, **options) -> TestResponse:
        return sent(self.app, method, path, **options)

    def ask(self, key: str | None, wish: str = "an answer", **options) -> TestResponse:
        """One question that counts against the daily quota."""
        return self.send("POST", "/ask", key=key, json={"wish": wish}, **options)

    def statuses(self, key: str, calls: int, **options) -> Counter:
        """How often each status came of questions one after the other."""
        return Counter(self.ask(key, **options).status_code for _ in range(calls))

    def register(self, email: str = EMAIL, **options) -> TestResponse:
        return self.send("POST", "/api/v1/register", json={"email": email}, **options)

    def granted(self, email: str = EMAIL, **terms) -> str:
        """A key that an operator minted."""
        with self.database.writing() as db:
            return keys.register_key(db, self.secret, email, self.now, **terms)[0]

    def burst(self, key: str, calls: int) -> Counter:
        """How often each status came of questions by as many threads at once."""
        with ThreadPoolExecutor(calls) as threads:
            return Counter(threads.map(lambda _: self.ask(key).status_code, range(calls)))


def looked(web: Web, calls: int, **options) -> Counter:
    """How often each status came of requests one after the other."""
    return Counter(web.send("GET", TELEMETRY, **options).status_code for _ in range(calls))
