"""The client that waits for each answer, and the one for asyncio; what both do is written once."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from abc import abstractmethod
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from typing import Any, Generic, TypeVar

import httpx

from service.client.errors import ConnectionFailed, RateLimited, TimedOut, document_of, refusal_of
from service.client.operations import Document, File, Items, Nothing, Operations, Read, Text
from service.client.streams import AnswerReader, EventReader, is_document, question_body

TIMEOUT_S = 30.0
MINUTE_LIMIT_S = 90.0  # a limit of a minute resets within it, the quota of a day does not
RECONNECT_S = 1.0
MOST_ROWS = 500  # of the ledger on a page

Lines = TypeVar("Lines")
T = TypeVar("T")
Page = dict[str, Any]


class _Exchange(Operations[Document, Text, File, Nothing, Items], Generic[Document, Text, File, Nothing, Items, Lines]):
    """What is sent and read in every call.

    It is written with `await`, also for the client that waits: what that one awaits has waited already.
    """

    def __init__(self, http: httpx.Client | httpx.AsyncClient, timeout_s: float, longest_wait_s: float) -> None:
        self.timeout_s, self.longest_wait_s = timeout_s, longest_wait_s
        self._base_url, self._headers = http.base_url, http.headers

    @abstractmethod
    def _result(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What a call gives for its work."""

    @abstractmethod
    def _items(self, items: AsyncGenerator[Any, None]) -> Any:
        """What a call gives for the items of its work."""

    @abstractmethod
    async def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The complete answer to a request, within `timeout_s`."""

    @abstractmethod
    def _open(self, request: dict[str, Any]) -> AbstractAsyncContextManager[httpx.Response]:
        """The answer to a request while it comes."""

    @abstractmethod
    def _pieces(self, answer: httpx.Response) -> AsyncIterator[str]:
        """The text of an answer as it comes."""

    @abstractmethod
    async def _complete(self, answer: httpx.Response) -> None:
        """Read the rest of an answer."""

    @abstractmethod
    async def _pause(self, seconds: float) -> None:
        """Wait."""

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
        reader = AnswerReader(time.monotonic() + self.timeout_s)
        with self._failing():
            async with self._open(reader.request(body, key)) as answer:
                if answer.status_code >= 300:
                    await self._complete(answer)
                    raise refusal_of(answer)
                if is_document(answer):
                    await self._complete(answer)
                    yield {"event": "consensus", **answer.json()}
                    return
                async for text in self._pieces(answer):
                    for step in reader.feed(text):
                        yield step
                        if step["event"] == "consensus":
                            return
        raise ConnectionFailed(f"{self._base_url} broke off in the middle of an answer.")

    def export_ledger(self, first_seq: int = 1) -> Lines:
        """The ledger from row `first_seq` on as lines for `python -m service.ledger verify`, without their ends.

        It is read page by page, 500 rows at a time. What a RateLimited cut short goes on with the next row, and
        the pieces together are one export.
        """
        return self._items(self._ledger_lines(first_seq))

    async def _ledger_lines(self, first_seq: int) -> AsyncGenerator[str, None]:
        from service.ledger.chain import line

        # The roots first: rows that are recorded meanwhile then lack a root, and never a root its rows.
        pages = [page async for page in self._documents(self.ledger_roots, None)]
        async for entry in self._all(lambda at: self.ledger(at, MOST_ROWS), "entries", first_seq):
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
        return self._items(self._events(EventReader(events, assets, after_seq, seconds)))

    async def _events(self, reader: EventReader) -> AsyncGenerator[Page, None]:
        while True:
            with suppress(ConnectionFailed, TimedOut), self._failing():
                async with self._open(reader.request(self.timeout_s)) as answer:
                    if answer.status_code != 200:
                        await self._complete(answer)
                        raise refusal_of(answer)
                    async for text in self._pieces(answer):
                        for event in reader.feed(text):
                            yield event
            await self._pause(RECONNECT_S)

    def _pages(self, page_of: Callable[[Any], Document], name: str) -> Items:
        return self._items(self._all(page_of, name, None))

    async def _all(self, page_of: Callable[[Any], Any], name: str, at: Any) -> AsyncGenerator[Page, None]:
        async for page in self._documents(page_of, at):
            for item in page[name]:
                yield item

    async def _documents(self, page_of: Callable[[Any], Any], at: Any) -> AsyncGenerator[Page, None]:
        while True:
            page = page_of(at)
            if inspect.isawaitable(page):
                page = await page
            yield page
            at = page["next"]
            if at is None:
                return

    def _json(self, method: str, path: str, read: Read | None = None, **options: Any) -> Document:
        def document(answer: httpx.Response) -> Page:
            return read(document_of(answer)) if read else document_of(answer)

        return self._result(self._send(document, method, path, **options))

    def _text(self, method: str, path: str, **options: Any) -> Text:
        return self._result(self._send(lambda answer: answer.text, method, path, **options))

    def _file(self, method: str, path: str, **options: Any) -> File:
        return self._result(self._send(lambda answer: answer.content, method, path, **options))

    def _nothing(self, method: str, path: str, **options: Any) -> Nothing:
        return self._result(self._send(lambda _: None, method, path, **options))

    def _use_key(self, key: Page) -> Page:
        self._headers["X-API-Key"] = key["api_key"]
        return key

    async def _send(self, read: Callable[[httpx.Response], T], method: str, path: str, **options: Any) -> T:
        end = time.monotonic() + self.longest_wait_s
        while True:
            with self._failing():
                answer = await self._request(method, path, **options)
            if answer.status_code < 300:
                return read(answer)
            refusal = refusal_of(answer)
            wait_s = refusal.retry_after_s if isinstance(refusal, RateLimited) else None
            if wait_s is None or time.monotonic() + wait_s > end:
                raise refusal
            await self._pause(wait_s)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Translate a failed connection into an exception of this family."""
        try:
            yield
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut(f"No answer from {self._base_url} within {self.timeout_s:g} s.") from None
        except httpx.RequestError as error:
            raise ConnectionFailed(f"No connection to {self._base_url}: {error}.") from None


class AsyncClient(
    _Exchange[
        Awaitable[Page], Awaitable[str], Awaitable[bytes], Awaitable[None], AsyncGenerator[Page], AsyncGenerator[str]
    ]
):
    """The service at `base_url` for asyncio: methods are awaited, or iterated over with `async for`; see `Client`."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        longest_wait_s: float = 0.0,
        end_user: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers=headers_of(api_key, end_user),
            timeout=timeout_s,
            transport=transport or httpx.AsyncHTTPTransport(retries=1),
        )
        super().__init__(self._http, timeout_s, longest_wait_s)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    def _result(self, work: Coroutine[Any, Any, Any]) -> Any:
        return work

    def _items(self, items: AsyncGenerator[Any, None]) -> Any:
        return items

    async def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        async with asyncio.timeout(self.timeout_s):
            return await self._http.request(method, path, **options)

    def _open(self, request: dict[str, Any]) -> AbstractAsyncContextManager[httpx.Response]:
        return self._http.stream(**request)

    def _pieces(self, answer: httpx.Response) -> AsyncIterator[str]:
        return answer.aiter_text()

    async def _complete(self, answer: httpx.Response) -> None:
        await answer.aread()

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Client(_Exchange[Page, str, bytes, None, Generator[Page, None, None], Generator[str, None, None]]):
    """The service at `base_url`.

    `timeout_s` bounds a whole call, not each read of it. Where a limit is reached that resets within
    `longest_wait_s`, a call waits for that besides; a stream does not. `end_user` is on whose behalf a delegating key
    calls. A connection that was not made is tried once more; a request that was sent and not refused for a limit
    never is. Answers are the JSON of the API as it stands.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        longest_wait_s: float = 0.0,
        end_user: str | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url,
            headers=headers_of(api_key, end_user),
            timeout=timeout_s,
            transport=transport or httpx.HTTPTransport(retries=1),
        )
        super().__init__(self._http, timeout_s, longest_wait_s)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _result(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            work.send(None)
        except StopIteration as end:
            return end.value
        raise AssertionError("a blocking client has nothing left to wait for")

    def _items(self, items: AsyncGenerator[Any, None]) -> Any:
        try:
            while True:
                try:
                    item = self._result(items.__anext__())
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self._result(items.aclose())

    async def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return _within(self.timeout_s, lambda: self._http.request(method, path, **options))

    @asynccontextmanager
    async def _open(self, request: dict[str, Any]) -> AsyncIterator[httpx.Response]:
        with self._http.stream(**request) as answer:
            yield answer

    async def _pieces(self, answer: httpx.Response) -> AsyncIterator[str]:
        for text in answer.iter_text():
            yield text

    async def _complete(self, answer: httpx.Response) -> None:
        answer.read()

    async def _pause(self, seconds: float) -> None:
        time.sleep(seconds)


def headers_of(api_key: str | None, end_user: str | None) -> dict[str, str]:
    """The headers of every request of a client."""
    headers = {"X-API-Key": api_key, "X-End-User": end_user}
    return {name: value for name, value in headers.items() if value is not None}


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
