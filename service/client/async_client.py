"""The client for asyncio: its methods are awaited, or iterated over with `async for`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import httpx

from service.client.errors import ConnectionFailed, TimedOut, document_of, refusal_of
from service.client.operations import RECONNECT_S, TIMEOUT_S, Operations, Read, headers_of
from service.client.streams import AnswerReader, EventReader, is_document

Page = dict[str, Any]


class AsyncClient(Operations[Awaitable[Page], Awaitable[str], Awaitable[bytes], Awaitable[None], AsyncIterator[Page]]):
    """The service at `base_url`; the parameters, the answers and the errors are those of `Client`."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        end_user: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers=headers_of(api_key, end_user),
            timeout=timeout_s,
            transport=transport or httpx.AsyncHTTPTransport(retries=1),
        )
        super().__init__(self._http, timeout_s)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def ask_stream(
        self, question: str | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> AsyncGenerator[Page, None]:
        """The answer as it comes; see `Client.ask_stream`."""
        reader = AnswerReader(time.monotonic() + self.timeout_s)
        with self._failing():
            async with self._http.stream(**reader.request(question, idempotency_key)) as answer:
                if answer.status_code >= 300:
                    await answer.aread()
                    raise refusal_of(answer)
                if is_document(answer):
                    await answer.aread()
                    yield {"event": "consensus", **answer.json()}
                    return
                async for text in answer.aiter_text():
                    for step in reader.feed(text):
                        yield step
                        if step["event"] == "consensus":
                            return
        raise self._broken_off()

    async def export_ledger(self, since: int = 1) -> AsyncGenerator[str, None]:
        """The ledger as lines; see `Client.export_ledger`."""
        from service.ledger.chain import line

        roots = [root async for root in self._pages(self.ledger_roots, "roots", None)]
        async for entry in self._pages(lambda at: self.ledger(at, 500), "entries", since):
            yield line("row", entry)
        for root in roots:
            yield line("root", root)

    async def events(
        self,
        events: Iterable[str] = (),
        assets: Iterable[str] = (),
        *,
        since: int | None = None,
        seconds: int | None = None,
    ) -> AsyncGenerator[Page, None]:
        """Events as they happen, without an end; see `Client.events`."""
        reader = EventReader(events, assets, since, seconds)
        while True:
            with suppress(ConnectionFailed, TimedOut), self._failing():
                async with self._http.stream(**reader.request(self.timeout_s)) as answer:
                    if answer.status_code != 200:
                        await answer.aread()
                        raise refusal_of(answer)
                    async for text in answer.aiter_text():
                        for event in reader.feed(text):
                            yield event
            await asyncio.sleep(RECONNECT_S)

    async def _pages(self, ask: Callable[[Any], Awaitable[Page]], name: str, at: Any) -> AsyncGenerator[Page, None]:
        while True:
            page = await ask(at)
            for item in page[name]:
                yield item
            at = page["next"]
            if at is None:
                return

    async def _json(self, method: str, path: str, read: Read | None = None, **more: Any) -> Page:
        document = document_of(await self._send(method, path, **more))
        return read(document) if read else document

    async def _text(self, method: str, path: str, **more: Any) -> str:
        return (await self._send(method, path, **more)).text

    async def _file(self, method: str, path: str, **more: Any) -> bytes:
        return (await self._send(method, path, **more)).content

    async def _nothing(self, method: str, path: str, **more: Any) -> None:
        await self._send(method, path, **more)

    async def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        with self._failing():
            async with asyncio.timeout(self.timeout_s):
                answer = await self._http.request(method, path, **more)
        if answer.status_code >= 300:
            raise refusal_of(answer)
        return answer
