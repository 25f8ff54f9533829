"""The client that waits for each answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import httpx

from service.client.errors import ConnectionFailed, TimedOut, document_of, refusal_of
from service.client.operations import RECONNECT_S, TIMEOUT_S, Operations, Read, headers_of
from service.client.streams import AnswerReader, EventReader, is_document


class Client(Operations[dict[str, Any], str, bytes, None, Iterator[dict[str, Any]]]):
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
        self._http = httpx.Client(
            base_url=base_url,
            headers=headers_of(api_key, end_user),
            timeout=timeout_s,
            transport=transport or httpx.HTTPTransport(retries=1),
        )
        super().__init__(self._http, timeout_s)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def ask_stream(
        self, question: str | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Generator[dict[str, Any], None, None]:
        """The same as it comes: what was understood, each vote or abstention, and last the whole answer.

        Each is a dictionary with its kind under `event`: "question", "vote", "abstention", "consensus". Raises as `ask`
        does, also after the first votes. The whole is bounded by `timeout_s` and at most one silence of 15 s; closing
        the iterator closes the connection. With an `idempotency_key` the service finishes the answer nevertheless, and
        a retry with the same key is free: raises Conflict until the answer is complete, then has the last event only.
        """
        reader = AnswerReader(time.monotonic() + self.timeout_s)
        with self._failing(), self._http.stream(**reader.request(question, idempotency_key)) as answer:
            if answer.status_code >= 300:
                answer.read()
                raise refusal_of(answer)
            if is_document(answer):
                answer.read()
                yield {"event": "consensus", **answer.json()}
                return
            for text in answer.iter_text():
                for step in reader.feed(text):
                    yield step
                    if step["event"] == "consensus":
                        return
        raise self._broken_off()

    def export_ledger(self, since: int = 1) -> Iterator[str]:
        """The ledger from row `since` on as lines for `python -m service.ledger verify`, without their ends.

        It is read page by page, 500 rows at a time. What a RateLimited cut short goes on `since` the next row, and
        the pieces together are one export.
        """
        from service.ledger.chain import line

        # The roots first: rows that are recorded meanwhile then lack a root, and never a root its rows.
        roots = list(self._pages(self.ledger_roots, "roots", None))
        for entry in self._pages(lambda at: self.ledger(at, 500), "entries", since):
            yield line("row", entry)
        yield from (line("root", root) for root in roots)

    def events(
        self,
        events: Iterable[str] = (),
        assets: Iterable[str] = (),
        *,
        since: int | None = None,
        seconds: int | None = None,
    ) -> Generator[dict[str, Any], None, None]:
        """Events as they happen, each once, without an end: a stream that ends or breaks is continued.

        `events` and `assets` choose types and assets. `since` is the `id` of the last event that you saw; without it
        the first is one that comes from now on. `seconds` is how long one stream may stay open, at most 300. Raises
        Refused if the service refuses the stream; while it cannot be reached the client tries again.
        """
        reader = EventReader(events, assets, since, seconds)
        while True:
            with (
                suppress(ConnectionFailed, TimedOut),
                self._failing(),
                self._http.stream(**reader.request(self.timeout_s)) as answer,
            ):
                if answer.status_code != 200:
                    answer.read()
                    raise refusal_of(answer)
                for text in answer.iter_text():
                    yield from reader.feed(text)
            time.sleep(RECONNECT_S)

    def _pages(self, ask: Callable[[Any], dict[str, Any]], name: str, at: Any) -> Iterator[dict[str, Any]]:
        while True:
            page = ask(at)
            yield from page[name]
            at = page["next"]
            if at is None:
                return

    def _json(self, method: str, path: str, read: Read | None = None, **more: Any) -> dict[str, Any]:
        document = document_of(self._send(method, path, **more))
        return read(document) if read else document

    def _text(self, method: str, path: str, **more: Any) -> str:
        return self._send(method, path, **more).text

    def _file(self, method: str, path: str, **more: Any) -> bytes:
        return self._send(method, path, **more).content

    def _nothing(self, method: str, path: str, **more: Any) -> None:
        self._send(method, path, **more)

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        with self._failing():
            answer = _within(self.timeout_s, lambda: self._http.request(method, path, **more))
        if answer.status_code >= 300:
            raise refusal_of(answer)
        return answer


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
