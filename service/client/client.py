"""The client that waits for each answer, and the one for asyncio; what both do is written once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx

from service.client.exchange import Page
from service.client.operations import Operations

MINUTE_LIMIT_S = 90.0  # a limit of a minute resets within it, the quota of a day does not


class AsyncClient(
    Operations[
        Awaitable[Page], Awaitable[str], Awaitable[bytes], Awaitable[None], AsyncGenerator[Page], AsyncGenerator[str]
    ]
):
    """The service at `base_url` for asyncio: methods are awaited, or iterated over with `async for`; see `Client`."""

    def _connect(self, transport: httpx.AsyncBaseTransport | None, **options: Any) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=transport or httpx.AsyncHTTPTransport(retries=1), **options)

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

    def _open(self, method: str, path: str, **options: Any) -> AbstractAsyncContextManager[httpx.Response]:
        return self._http.stream(method, path, **options)

    def _pieces(self, answer: httpx.Response) -> AsyncIterator[str]:
        return answer.aiter_text()

    async def _complete(self, answer: httpx.Response) -> None:
        await answer.aread()

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Client(Operations[Page, str, bytes, None, Generator[Page, None, None], Generator[str, None, None]]):
    """The service at `base_url`.

    `timeout_s` bounds a whole call, not each read of it. Where a limit is reached that resets within
    `longest_wait_s`, a call waits for that besides; a stream does not. `end_user` is on whose behalf a delegating key
    calls. A connection that was not made is tried once more; a request that was sent and not refused for a limit
    never is. Answers are the JSON of the API as it stands.
    """

    def _connect(self, transport: httpx.BaseTransport | None, **options: Any) -> httpx.Client:
        return httpx.Client(transport=transport or httpx.HTTPTransport(retries=1), **options)

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
    async def _open(self, method: str, path: str, **options: Any) -> AsyncIterator[httpx.Response]:
        with self._http.stream(method, path, **options) as answer:
            yield answer

    async def _pieces(self, answer: httpx.Response) -> AsyncIterator[str]:
        for text in answer.iter_text():
            yield text

    async def _complete(self, answer: httpx.Response) -> None:
        answer.read()

    async def _pause(self, seconds: float) -> None:
        time.sleep(seconds)


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
