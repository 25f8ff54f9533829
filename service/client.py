"""The API as a Python object: one method per endpoint, one family of errors.

    ClientError
    ├── ConnectionFailed        no connection; nothing was counted
    ├── TimedOut                no complete response within `timeout_s`; it may have been counted
    ├── ProofFailed             a proof of the ledger is wrong
    └── Refused                 a response of 400 or more: status, code, detail, request_id
        ├── BadRequest          400, 413, 415, 422: `errors` names the fields
        ├── Unauthorized        401
        ├── NotFound            404
        ├── Conflict            409: the same request is in progress, or voting has closed
        ├── RateLimited         429: limit, remaining, reset_at, retry_after_s
        ├── Unavailable         503: retry_after_s
        └── ServerFault         any other status, or a response that is not this API's

Front ends import this module and nothing else of the service.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx

TIMEOUT_S = 30.0
SILENCE_S = 15.0  # a stream sends a heartbeat every ten seconds


class ClientError(Exception):
    """The root of the family; its text may be shown to a user."""


class ConnectionFailed(ClientError):
    """The address did not answer, or the connection broke."""


class TimedOut(ClientError):
    """The complete response did not arrive in time."""


class ProofFailed(ClientError):
    """The proof of a ledger row is wrong; the message says why."""


class Refused(ClientError):
    """The service refused the request."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code: str = problem.get("code", "unknown")
        self.detail: str = problem.get("detail", f"The service answered {status}.")
        self.request_id: str | None = problem.get("request_id")
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        self.limit: int | None = problem.get("limit")
        self.remaining: int | None = problem.get("remaining")
        self.reset_at: str | None = problem.get("reset_at")
        self.retry_after_s: int | None = problem.get("retry_after_s")
        super().__init__(self.detail)


class BadRequest(Refused):
    """The input is invalid; `errors` holds the `field` and `message` of each fault."""


class Unauthorized(Refused):
    """The key is missing or wrong."""


class NotFound(Refused):
    """There is no such thing."""


class Conflict(Refused):
    """A request with the same Idempotency-Key is still in progress, or the voting has closed."""


class RateLimited(Refused):
    """A limit or the day's quota is used up until `reset_at`."""


class Unavailable(Refused):
    """The service cannot answer at the moment; try again after `retry_after_s`."""


class ServerFault(Refused):
    """Something is wrong on the other side."""


REFUSALS: dict[int, type[Refused]] = {
    400: BadRequest,
    401: Unauthorized,
    404: NotFound,
    409: Conflict,
    413: BadRequest,
    415: BadRequest,
    422: BadRequest,
    429: RateLimited,
    503: Unavailable,
}


class Client:
    """The service at `base_url`.

    `timeout_s` bounds a whole call, not each read of it. `end_user` is on whose behalf a delegating key
    calls. A connection that was not made is tried once more; a request that was sent never is. Answers are
    the JSON of the API as it stands.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        end_user: str | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        sent = {"X-API-Key": api_key, "X-End-User": end_user}
        self.timeout_s = timeout_s
        self._http = httpx.Client(
            base_url=base_url,
            headers={name: value for name, value in sent.items() if value is not None},
            timeout=timeout_s,
            transport=transport or httpx.HTTPTransport(retries=1),
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def ask(self, question: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Nine votes and a consensus. With an `idempotency_key` of your own a retry is free for 24 hours."""
        return self._json("POST", "/api/v1/oracle", json={"question": question}, headers=_once(idempotency_key))

    def ask_stream(self, question: str) -> Generator[dict[str, Any], None, None]:
        """The same as it comes: what was understood, each vote or abstention, and last the whole answer.

        Each is a dictionary with its kind under `event`: "question", "vote", "abstention", "consensus". Raises as `ask`
        does, also after the first votes. The whole is bounded by `timeout_s` and at most one silence of 15 s; closing
        the iterator closes the connection.
        """
        deadline = time.monotonic() + self.timeout_s
        body, headers = {"question": question}, {"Accept": "text/event-stream"}
        stream = self._http.stream("POST", "/api/v1/oracle", timeout=SILENCE_S, json=body, headers=headers)
        with self._failing(), stream as answer:
            if answer.status_code >= 300:
                answer.read()
                raise _refusal(answer.status_code, _object(answer))
            for name, payload in _events(answer.iter_text(), deadline):
                if name == "error":
                    raise _refusal(payload.get("status", 500), payload)
                yield {"event": name, **payload}
                if name == "consensus":
                    return
        raise ConnectionFailed(f"{self._http.base_url} broke off in the middle of an answer.")

    def prices(self) -> dict[str, Any]:
        """The price of every asset and its time."""
        return self._json("GET", "/api/v1/prices")

    def forecast(self, asset: str, horizon: str | None = None) -> dict[str, Any]:
        """Where the price of an asset will be: quantiles, pooled and of each voter, after 1 hour to 30 days.

        `horizon` is one of 1h, 6h, 24h, 3d, 7d, 14d and 30d; without it all of them.
        """
        return self._json("GET", f"/api/v1/forecasts/{quote(asset, safe='')}", params=_present(horizon=horizon))

    def forecast_record(self) -> dict[str, Any]:
        """How good the price forecasts were: scores against plain volatility and calibration, by horizon and asset."""
        return self._json("GET", "/api/v1/forecasts/record")

    def leaderboard(self, asset: str | None = None) -> dict[str, Any]:
        """The strategies by rank, over all their assets or in one of btc, eth, sol, bnb, gold and silver."""
        return self._json("GET", "/api/v1/leaderboard", params=_present(asset=asset))

    def strategy(self, key: str) -> dict[str, Any]:
        """One strategy in full: its rule, its equity curve, its last trades."""
        return self._json("GET", f"/api/v1/strategies/{quote(key, safe='')}")

    def battle(self) -> dict[str, Any]:
        """The state of the six lanes."""
        return self._json("GET", "/api/v1/bot-battle")

    def battle_csv(self, venue: str = "all") -> str:
        """The same as the text of a CSV file: all lanes, or those of one venue, cex or dex."""
        return self._send("GET", "/api/v1/bot-battle/export.csv", params={"venue": venue}).text

    def battle_history(
        self, lane: str | None = None, since: str | None = None, until: str | None = None
    ) -> dict[str, Any]:
        """The equity and events of one lane or all, between two dates or instants in ISO 8601."""
        return self._json("GET", "/api/v1/bot-battle/history", params=_present(lane=lane, since=since, until=until))

    def hospital(self, month: str | None = None) -> dict[str, Any]:
        """The health of every strategy at the end of a month, `YYYY-MM`, or of the last one."""
        return self._json("GET", "/api/v1/strategy-hospital", params=_present(month=month))

    def predictions(self) -> dict[str, Any]:
        """The open prediction markets, with the odds of the voters, the users and an outside market."""
        return self._json("GET", "/api/v1/predictions")

    def vote(self, market_id: str, vote: str) -> dict[str, Any]:
        """Vote "yes" or "no" on a prediction market; a later vote replaces an earlier one."""
        return self._json("POST", f"/api/v1/predictions/{quote(market_id, safe='')}/vote", json={"vote": vote})

    def challenges(self) -> dict[str, Any]:
        """The challenges that are still open, the newest first."""
        return self._json("GET", "/api/challenges/active")

    def challenge(self, number: int) -> dict[str, Any]:
        """One challenge, open or resolved."""
        return self._json("GET", f"/api/challenges/{number}")

    def create_challenge(self, question: str, deadline: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """A challenge to ten voters and apex; `deadline` is a date, `YYYY-MM-DD`, in UTC."""
        body = {"question": question, "deadline": deadline}
        return self._json("POST", "/api/challenges/create", json=body, headers=_once(idempotency_key))

    def vote_challenge(self, number: int, vote: str) -> dict[str, Any]:
        """Vote "yes" or "no" on a challenge; a later vote replaces an earlier one."""
        return self._json("POST", f"/api/challenges/{number}/vote", json={"vote": vote})

    def streaks(self) -> dict[str, Any]:
        """The streaks of correct votes of each voter, and what luck alone would give."""
        return self._json("GET", "/api/streaks")

    def shadow(self) -> dict[str, Any]:
        """The virtual result of betting 100 USD on every disagreement with the market."""
        return self._json("GET", "/api/predictions/shadow")

    def ai_vs_market(self) -> dict[str, Any]:
        """The accuracy of the voters against the outside market, on the same markets at the same instant."""
        return self._json("GET", "/api/predictions/ai-vs-market")

    def news(self) -> dict[str, Any]:
        """The sentiment and topics of the headlines, and the headlines."""
        return self._json("GET", "/api/predictions/news-pulse")

    def apex(self) -> dict[str, Any]:
        """The fused forecast of bitcoin's next day, and the accuracy of its eight layers."""
        return self._json("GET", "/api/apex/status")

    def fund(self) -> dict[str, Any]:
        """The virtual fund of 1,000 USD that follows apex."""
        return self._json("GET", "/api/apex/fund")

    def widget(self) -> dict[str, Any]:
        """Bitcoin's price, the consensus, news sentiment and accuracy, in one small document."""
        return self._json("GET", "/api/widget/consensus")

    def ledger(
        self, since: int | None = None, limit: int | None = None, kind: str | None = None, subject: str | None = None
    ) -> dict[str, Any]:
        """At most `limit` rows of the ledger from row `since` on: all, or those of a kind, about a subject."""
        return self._json(
            "GET", "/api/v1/ledger", params=_present(since=since, limit=limit, kind=kind, subject=subject)
        )

    def ledger_head(self) -> dict[str, Any]:
        """The last row of the ledger, how much of it is sealed and by which key, and what that proves."""
        return self._json("GET", "/api/v1/ledger/head")

    def ledger_entry(self, seq: int) -> dict[str, Any]:
        """One row of the ledger."""
        return self._json("GET", f"/api/v1/ledger/{seq}")

    def ledger_proof(self, seq: int) -> dict[str, Any]:
        """The service's proof that a row lies under a signed root; `verify_proof` checks it."""
        return self._json("GET", f"/api/v1/ledger/proof/{seq}")

    def ledger_roots(self, since: str | None = None) -> dict[str, Any]:
        """The signed root of every day, or from the day `since`, `YYYY-MM-DD`, on."""
        return self._json("GET", "/api/v1/ledger/roots", params=_present(since=since))

    def verify_proof(self, seq: int, key: str | None = None) -> dict[str, Any]:
        """The proof of a row, after checking here its hash, its path and the signature; raises ProofFailed.

        `key` is the public key in hex as you know it from elsewhere; without it the one in the answer is used
        without verification.
        """
        from service.ledger import proofs

        proof = self.ledger_proof(seq)
        try:
            fault = proofs.fault(proofs.read(proof), seq, key)
        except ValueError as error:
            raise ProofFailed(f"The answer is {error}.") from None
        if fault:
            raise ProofFailed(fault)
        return proof

    def export_ledger(self, since: int = 1) -> Iterator[str]:
        """The ledger from row `since` on as lines for `python -m service.ledger verify`, without their ends.

        It is read page by page, 500 rows at a time. What a RateLimited cut short goes on `since` the next row, and
        the pieces together are one export.
        """
        from service.ledger import export

        # The roots first: rows that are recorded meanwhile then lack a root, and never a root its rows.
        roots = list(self._pages(self.ledger_roots, "roots", None))
        for entry in self._pages(lambda at: self.ledger(at, 500), "entries", since):
            yield export.line("row", entry)
        yield from (export.line("root", root) for root in roots)

    def register(self, email: str, app_name: str | None = None) -> dict[str, Any]:
        """A new key, shown this once."""
        return self._json("POST", "/api/v1/register", json={"email": email, "app_name": app_name})

    def usage(self) -> dict[str, Any]:
        """The plan of this client's key and its remaining quota of today."""
        return self._json("GET", "/api/v1/me")

    def rotate(self) -> dict[str, Any]:
        """A new key in place of this client's, which uses it from now on."""
        issued = self._json("POST", "/api/v1/me/rotate")
        self._http.headers["X-API-Key"] = issued["api_key"]
        return issued

    def revoke(self) -> None:
        """Revoke this client's key permanently."""
        self._send("DELETE", "/api/v1/me")

    def docs(self) -> dict[str, Any]:
        """The documentation of version 1.0."""
        return self._json("GET", "/api/v1/docs")

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI 3.1 description."""
        return self._json("GET", "/api/openapi.json")

    def openapi_lite(self) -> dict[str, Any]:
        """The OpenAPI description without the schemas of answers."""
        return self._json("GET", "/api/openapi-lite.json")

    def alive(self) -> dict[str, Any]:
        """Whether the process answers."""
        return self._json("GET", "/healthz")

    def ready(self) -> dict[str, Any]:
        """Whether it can answer questions; raises Unavailable that says what is missing."""
        return self._json("GET", "/readyz")

    def metrics(self) -> str:
        """The metrics for Prometheus."""
        return self._send("GET", "/metrics").text

    def _pages(self, ask: Callable[[Any], dict[str, Any]], name: str, at: Any) -> Iterator[dict[str, Any]]:
        """The items under `name` of every page, from the page at `at` to the last."""
        while True:
            page = ask(at)
            yield from page[name]
            at = page["next"]
            if at is None:
                return

    def _json(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        answer = self._send(method, path, **more)
        document = _object(answer)
        if document is None:
            raise ServerFault(answer.status_code, {"detail": "The answer is not JSON: is this address the service's?"})
        return document

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        with self._failing():
            answer = _within(self.timeout_s, lambda: self._http.request(method, path, **more))
        if answer.status_code >= 300:
            raise _refusal(answer.status_code, _object(answer))
        return answer

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Translate a failed connection into an exception of this family."""
        try:
            yield
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut(f"No answer from {self._http.base_url} within {self.timeout_s:g} s.") from None
        except httpx.RequestError as error:
            raise ConnectionFailed(f"No connection to {self._http.base_url}: {error}.") from None


def _refusal(status: int, problem: dict[str, Any] | None) -> Refused:
    return REFUSALS.get(status, ServerFault)(status, problem or {})


def _events(pieces: Iterable[str], deadline: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """The server-sent events in `pieces` by name, with what they hold; comments are signs of life.

    Raises TimeoutError when something comes after `deadline`, an instant of `time.monotonic()`.
    """
    begun = ""
    for piece in pieces:
        if time.monotonic() > deadline:
            raise TimeoutError
        *events, begun = (begun + piece).split("\n\n")
        for event in events:
            fields = dict(line.split(": ", 1) for line in event.split("\n"))
            if "data" in fields:
                yield fields.get("event", "message"), json.loads(fields["data"])


def _present(**parameters: str | int | None) -> dict[str, str | int]:
    """The parameters that have a value; an empty one would be refused."""
    return {name: value for name, value in parameters.items() if value is not None}


def _once(idempotency_key: str | None) -> dict[str, str]:
    """The header that makes a retry free."""
    return {"Idempotency-Key": idempotency_key} if idempotency_key else {}


def _object(answer: httpx.Response) -> dict[str, Any] | None:
    try:
        document = json.loads(answer.content)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _within(seconds: float, call: Callable[[], httpx.Response]) -> httpx.Response:
    """What `call` gives, or TimeoutError. httpx bounds each read, so a dripping answer could take for ever."""
    outcome: Future[httpx.Response] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome.result(seconds)
