"""What every call sends and reads, whichever client makes it."""

from __future__ import annotations

import inspect
import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from service.client import errors

TIMEOUT_S = 30.0
SILENCE_S = 15.0  # a stream sends a heartbeat every ten seconds
RECONNECT_S = 1.0
MOST_ROWS = 500  # of the ledger on a page

Document = TypeVar("Document")
Text = TypeVar("Text")
File = TypeVar("File")
Nothing = TypeVar("Nothing")
Items = TypeVar("Items")
Lines = TypeVar("Lines")
T = TypeVar("T")
Page = dict[str, Any]


def once(idempotency_key: str | None) -> dict[str, str]:
    """The header under which a retry is free."""
    return {"Idempotency-Key": idempotency_key} if idempotency_key else {}


def path_of(root: str, *names: str) -> str:
    """The address below `root` with these names in it, whatever their characters."""
    return "/".join((root, *(quote(name, safe="") for name in names)))


def present(**parameters: object) -> dict[str, Any]:
    """The parameters that have a value; an empty one would be refused."""
    return {name: value for name, value in parameters.items() if value is not None}


def question_body(
    question: str | Mapping[str, Any], context: str | Mapping[str, Any] | None, *, strict: bool
) -> dict[str, Any]:
    """The body of a text, which may carry the question in `context` on, or of what was understood before."""
    body = {"question": question} if isinstance(question, str) else {"understood": dict(question)}
    return body | present(context=context, strict=strict or None)


def verify_webhook(body: bytes | str, headers: Mapping[str, str], secret: str) -> dict[str, Any]:
    """The event in a webhook message, after checking its signature; raises WebhookInvalid.

    `body` and `headers` are those of the request as they came, `secret` is `whsec_…`. A message may come twice, with
    the same `webhook-id` in its headers.
    """
    from standardwebhooks import Webhook, WebhookVerificationError
    from standardwebhooks.webhooks import EmptyWebhookSecretError

    try:
        return Webhook(secret).verify(body, dict(headers))
    except (WebhookVerificationError, EmptyWebhookSecretError, ValueError) as error:
        raise errors.WebhookInvalid(f"The message is not valid: {error}.") from None


class Exchange(ABC, Generic[Document, Text, File, Nothing, Items, Lines]):
    """What is sent and read in every call.

    It is written with `await`, also for the client that waits: what that one awaits has waited already. The six types
    are what a method returns: a document, a text, the bytes of a file, nothing, the items of all pages, or lines; of
    the asynchronous client each is awaited or iterated over asynchronously.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        longest_wait_s: float = 0.0,
        end_user: str | None = None,
        transport: httpx.BaseTransport | httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.timeout_s, self.longest_wait_s = timeout_s, longest_wait_s
        headers = present(**{"X-API-Key": api_key, "X-End-User": end_user})
        self._http: Any = self._connect(transport, base_url=base_url, headers=headers, timeout=timeout_s)

    @abstractmethod
    def _connect(self, transport: Any, **options: Any) -> httpx.Client | httpx.AsyncClient:
        """What sends requests, by default over the network: a connection that was not made is tried once more."""

    @abstractmethod
    def _result(self, work: Coroutine[Any, Any, Any]) -> Any: ...

    @abstractmethod
    def _items(self, items: AsyncGenerator[Any, None]) -> Any: ...

    @abstractmethod
    async def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The complete answer to a request, within `timeout_s`."""

    @abstractmethod
    def _open(self, method: str, path: str, **options: Any) -> AbstractAsyncContextManager[httpx.Response]:
        """The answer to a request while it comes."""

    @abstractmethod
    def _pieces(self, answer: httpx.Response) -> AsyncIterator[str]: ...

    @abstractmethod
    async def _complete(self, answer: httpx.Response) -> None:
        """Read the rest of an answer."""

    @abstractmethod
    async def _pause(self, seconds: float) -> None: ...

    def ask_stream(
        self,
        question: str | Mapping[str, Any],
        *,
        context: str | Mapping[str, Any] | None = None,
        strict: bool = False,
        idempotency_key: str | None = None,
    ) -> Items:
        """The same as it comes: what was understood, each vote or abstention, and last the whole answer.

        Each is a dictionary with its kind under `event`: "question", "vote", "abstention", "consensus". Raises as `ask`
        does, also after the first votes. The whole is bounded by `timeout_s` and at most one silence of 15 s; closing
        the iterator closes the connection. With an `idempotency_key` the service finishes the answer nevertheless, and
        a retry with the same key is free: raises Conflict until the answer is complete, then has the last event only.
        """
        return self._items(self._steps(question_body(question, context, strict=strict), idempotency_key))

    async def _steps(self, body: Mapping[str, Any], key: str | None) -> AsyncGenerator[Page, None]:
        deadline, headers = time.monotonic() + self.timeout_s, {"Accept": "text/event-stream", **once(key)}
        async with self._stream("POST", "/api/v1/oracle", timeout=SILENCE_S, json=body, headers=headers) as answer:
            if answer.headers.get("Content-Type", "").startswith("application/json"):  # of a stream that was kept
                await self._complete(answer)
                yield {"event": "consensus", **answer.json()}
                return
            async for fields in self._blocks(answer, deadline):
                if "data" not in fields:
                    continue  # a heartbeat
                name, payload = fields.get("event", "message"), json.loads(fields["data"])
                if name == "error":
                    raise errors.refusal(payload.get("status", 500), payload)
                yield {"event": name, **payload}
                if name == "consensus":
                    return
        raise errors.ConnectionFailed(f"{self._http.base_url} broke off in the middle of an answer.")

    def export_ledger(self, first_seq: int = 1) -> Lines:
        """The ledger from row `first_seq` on as lines for `python -m service.ledger verify`, without their ends.

        It is read page by page, 500 rows at a time. What a RateLimited cut short goes on with the next row, and
        the pieces together are one export.
        """
        return self._items(self._ledger_lines(first_seq))

    async def _ledger_lines(self, first_seq: int) -> AsyncGenerator[str, None]:
        from service.ledger.chain import line

        # The roots first: rows that are recorded meanwhile then lack a root, and never a root its rows.
        pages = [page async for page in self._documents(lambda at: self._get("/api/v1/ledger/roots", since=at), None)]
        rows = self._documents(lambda at: self._get("/api/v1/ledger", first_seq=at, limit=MOST_ROWS), first_seq)
        async for page in rows:
            for entry in page["entries"]:
                yield line("row", entry)
        for root in (root for page in pages for root in page["roots"]):
            yield line("root", root)
        for timestamp in (timestamp for page in pages for timestamp in page.get("timestamps", ())):
            yield line("timestamp", timestamp)

    def events(
        self,
        events: Iterable[str] = (),
        assets: Iterable[str] = (),
        *,
        after_seq: int | None = None,
        seconds: int | None = None,
    ) -> Items:
        """Events as they happen, each once, without an end: a stream that ends or breaks is continued.

        `events` and `assets` choose types and assets. `after_seq` is the `id` of the last event that you saw; without
        it the first is one that comes from now on. `seconds` is how long one stream may stay open, at most 300. Raises
        Refused if the service refuses the stream; while it cannot be reached the client tries again.
        """
        lists = {"events": ",".join(events) or None, "assets": ",".join(assets) or None}
        return self._items(self._events(after_seq, present(**lists, seconds=seconds)))

    async def _events(self, after_seq: int | None, selection: dict[str, Any]) -> AsyncGenerator[Page, None]:
        timeout = httpx.Timeout(self.timeout_s, read=SILENCE_S)
        while True:
            params = selection | present(after_seq=after_seq)
            with suppress(errors.ConnectionFailed, errors.TimedOut):
                async with self._stream("GET", "/api/v1/events", timeout=timeout, params=params) as answer:
                    async for fields in self._blocks(answer):
                        if "id" in fields:
                            after_seq = int(fields["id"])
                            if "data" in fields:
                                yield json.loads(fields["data"])
            await self._pause(RECONNECT_S)

    async def _blocks(self, answer: httpx.Response, deadline: float = math.inf) -> AsyncGenerator[dict[str, str], None]:
        """The fields of each server-sent event; raises TimeoutError after `deadline`, of the monotonic clock."""
        rest = ""
        async for text in self._pieces(answer):
            if time.monotonic() > deadline:
                raise TimeoutError
            *blocks, rest = (rest + text).split("\n\n")
            for block in blocks:
                yield dict(line.split(": ", 1) for line in block.split("\n"))

    @asynccontextmanager
    async def _stream(self, method: str, path: str, **options: Any) -> AsyncIterator[httpx.Response]:
        """The answer to a request while it comes; raises Refused."""
        with self._failing():
            async with self._open(method, path, **options) as answer:
                if answer.status_code != 200:
                    await self._complete(answer)
                    raise errors.refusal_of(answer)
                yield answer

    async def _documents(self, page_of: Callable[[Any], Any], at: Any) -> AsyncGenerator[Page, None]:
        """Every page, from that at `at` to the last."""
        while True:
            page = page_of(at)
            if inspect.isawaitable(page):
                page = await page
            yield page
            at = page["next"]
            if at is None:
                return

    def _get(self, *path: str, **parameters: object) -> Document:
        """The JSON object at an address; a parameter that is None is not sent."""
        return self._json("GET", path_of(*path), params=present(**parameters))

    def _json(self, method: str, path: str, read: Callable[[Page], Page] | None = None, **options: Any) -> Document:
        """The JSON object that is answered, after `read`."""

        def document(answer: httpx.Response) -> Page:
            return read(errors.document_of(answer)) if read else errors.document_of(answer)

        return self._result(self._send(document, method, path, **options))

    def _text(self, path: str, **parameters: object) -> Text:
        return self._result(self._send(lambda answer: answer.text, "GET", path, params=present(**parameters)))

    def _file(self, method: str, path: str, **options: Any) -> File:
        return self._result(self._send(lambda answer: answer.content, method, path, **options))

    def _nothing(self, path: str) -> Nothing:
        return self._result(self._send(lambda _: None, "DELETE", path))

    def _use_key(self, key: Page) -> Page:
        self._http.headers["X-API-Key"] = key["api_key"]
        return key

    async def _send(self, read: Callable[[httpx.Response], T], method: str, path: str, **options: Any) -> T:
        end = time.monotonic() + self.longest_wait_s
        while True:
            with self._failing():
                answer = await self._request(method, path, **options)
            if answer.status_code < 300:
                return read(answer)
            error = errors.refusal_of(answer)
            wait_s = error.retry_after_s if isinstance(error, errors.RateLimited) else None
            if wait_s is None or time.monotonic() + wait_s > end:
                raise error
            await self._pause(wait_s)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Translate a failed connection into an exception of this family."""
        try:
            yield
        except (TimeoutError, httpx.TimeoutException):
            raise errors.TimedOut(f"No answer from {self._http.base_url} within {self.timeout_s:g} s.") from None
        except httpx.RequestError as error:
            raise errors.ConnectionFailed(f"No connection to {self._http.base_url}: {error}.") from None
