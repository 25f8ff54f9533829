"""A language model, asked within a time it cannot overstay and in the strictest form that it takes."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from service.sources.llm import modes
from service.sources.llm.answers import Answer
from service.sources.llm.failures import ModelFailed
from service.sources.llm.modes import Mode, Modes
from service.sources.llm.prices import price_of
from service.sources.llm.providers import Chosen

if TYPE_CHECKING:
    from openai import OpenAI

    from service.sources.llm.faults import Fault

MOST_TOKENS = 4000  # of one answer, the thoughts of a model that thinks first included
MOST_WAITS = 3
TWICE = 2  # a server that fails inside this often in one mode cannot do it
FIRST_WAIT_S = 0.25  # doubled each time
LEAST_S = 0.05  # below, no request is worth sending


@dataclass(frozen=True)
class Completion:
    """What a model said, in which mode and at what price; tokens and USD are None where they are not known."""

    text: str
    input_tokens: int | None
    output_tokens: int | None
    usd: float | None
    latency_ms: float
    mode: Mode

    @property
    def tokens(self) -> int | None:
        """Read and written together."""
        return None if self.input_tokens is None else self.input_tokens + self.output_tokens


class Clients:
    """One client of the SDK for each address and key, shared by all threads; its connections last until `close`."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._clients: dict[tuple[str, str], OpenAI] = {}

    def of(self, base_url: str, api_key: str) -> OpenAI:
        """The client of an address and key."""
        with self._lock:
            if (base_url, api_key) not in self._clients:
                self._clients[base_url, api_key] = _client(base_url, api_key)
            return self._clients[base_url, api_key]

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for client in self._clients.values():
                client.close()
            self._clients.clear()


@dataclass(frozen=True)
class LanguageModel:
    """A model of a provider, asked through `client`, which alone holds the key."""

    chosen: Chosen
    client: OpenAI = field(repr=False)
    modes: Modes = field(repr=False)

    @property
    def provider(self) -> str:
        return self.chosen.provider.name

    @property
    def model(self) -> str:
        return self.chosen.model

    @property
    def engine(self) -> str:
        """What a vote says of who cast it: `provider:model`."""
        return self.chosen.engine

    def complete(self, prompt_system: str, prompt_user: str, schema: Mapping[str, Any], deadline: float) -> Completion:
        """The model's answer to a prompt, held to a JSON schema as far as it can be.

        What failed in passing (too many requests, a failing server, a broken connection) is asked again while there is
        time before `deadline`, an instant of `time.monotonic()`. A server that refuses the mode, or fails twice in
        it, is asked in the next; the one that it answers in is remembered. Raises ModelFailed.
        """
        began, mode, failures, waits = time.monotonic(), self.modes.of(self.engine), 0, 0
        may_cost, told = False, None
        while True:
            answer, fault = self._try(prompt_system, prompt_user, schema, mode, deadline)
            if fault is None:
                self.modes.worked(self.engine, mode)
                return self._completion(answer, mode, began)
            may_cost = may_cost or fault.may_cost
            # A try that was cut short says less than the one before it.
            told = told if told and fault.is_late else fault
            failures += told.fails_inside
            if (told.refuses_mode or failures == TWICE) and mode != modes.LADDER[-1]:
                mode, failures = modes.below(mode), 0
                continue
            waits += 1
            if not _wait(told, waits, deadline):
                raise ModelFailed(told.reason, may_cost=may_cost)

    def _try(
        self, system: str, user: str, schema: Mapping[str, Any], mode: Mode, deadline: float
    ) -> tuple[Answer, Fault | None]:
        from service.sources.llm import faults

        answer, left = Answer(), deadline - time.monotonic()
        if left < LEAST_S:
            return answer, faults.NOT_SENT
        request = self._request(system, user, schema, mode)
        try:
            with self.client.chat.completions.create(**request, stream=True, timeout=left) as pieces:
                answer.read(pieces)
                is_stream = "event-stream" in pieces.response.headers.get("Content-Type", "")
        # A server can break its reader in any way. Once the model is at its end, nothing is missing.
        except Exception as error:
            return answer, None if answer.is_whole else faults.fault_of(error)
        if answer.text or answer.is_whole:
            return answer, None
        return answer, faults.BROKEN_OFF if is_stream and not answer.pieces else faults.UNREADABLE

    def _request(self, system: str, user: str, schema: Mapping[str, Any], mode: Mode) -> dict[str, Any]:
        provider = self.chosen.provider
        request = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": modes.instructions(system, mode, schema)},
                {"role": "user", "content": user},
            ],
            provider.most_tokens: MOST_TOKENS,
        }
        if provider.asked_for_usage:
            request["stream_options"] = {"include_usage": True}
        if (form := modes.response_format(mode, schema)) is not None:
            request["response_format"] = form
        return request

    def _completion(self, answer: Answer, mode: Mode, began: float) -> Completion:
        price, usd = price_of(self.chosen), None
        if price is not None and answer.input_tokens is not None:
            usd = price.of(answer.input_tokens, answer.output_tokens)
        return Completion(
            text=answer.text,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            usd=usd,
            latency_ms=1000 * (time.monotonic() - began),
            mode=mode,
        )


def _wait(fault: Fault, waits: int, deadline: float) -> bool:
    """Wait before asking again; False, at once, where that makes no sense or there is no time for it."""
    if not fault.is_passing or waits > MOST_WAITS:
        return False
    # Six seats that were refused together do not come back together.
    seconds = max(fault.wait_s, FIRST_WAIT_S * 2 ** (waits - 1)) * random.uniform(1.0, 1.25)
    if time.monotonic() + seconds + LEAST_S > deadline:
        return False
    time.sleep(seconds)
    return True


def _client(base_url: str, api_key: str) -> OpenAI:
    import httpx2
    from openai import Omit, OpenAI

    from service.sources.llm import faults  # noqa: F401 - loaded now, so that the first question does not wait for it
    from service.sources.llm.transport import Transport

    return OpenAI(
        base_url=base_url,
        # It insists on one; a server that needs none takes any.
        api_key=api_key or "none",
        # What is not said here it takes from the environment, and would send one provider's to all of them.
        admin_api_key="",
        organization="",
        project="",
        default_headers={
            "Accept-Encoding": "identity",
            "OpenAI-Organization": Omit(),
            "OpenAI-Project": Omit(),
        },
        max_retries=0,
        http_client=httpx2.Client(transport=Transport(), follow_redirects=False),
    )
