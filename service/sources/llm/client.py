"""Requests to a language model, with a hard deadline and the strictest output format that the server supports."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from service.sources.llm import limits, modes
from service.sources.llm.limits import ModelFailed
from service.sources.llm.modes import Mode, Modes, StreamedCompletion
from service.sources.llm.providers import Chosen, TokenPrice, price_of
from service.sources.sessions import is_loopback, proxy_of

if TYPE_CHECKING:
    from openai import OpenAI

    from service.sources.llm.transport import Fault

MOST_TOKENS = 4000  # of one answer, including the thinking tokens of a reasoning model
MOST_WAITS = 3
MOST_FAILURES = 2  # the number of internal server errors in one mode after which the next mode is tried
FIRST_WAIT_S = 0.25  # doubled each time
LEAST_S = 0.05  # with less time left no request is sent


@dataclass(frozen=True)
class Completion:
    """A model's answer with its mode and cost; input and output tokens together, and USD, are None where unknown."""

    text: str
    tokens: int | None
    usd: float | None
    latency_ms: float
    mode: Mode


@dataclass(frozen=True)
class LanguageModel:
    """A model of a provider; only `client` holds the API key. `prices` are stated by the operator, by engine."""

    chosen: Chosen
    client: OpenAI = field(repr=False)
    modes: Modes = field(repr=False)
    prices: Mapping[str, TokenPrice] = field(default_factory=dict, repr=False)

    @property
    def price(self) -> TokenPrice | None:
        """What its tokens cost now; None if that is unknown."""
        return price_of(self.chosen, self.prices)

    def complete(self, prompt_system: str, prompt_user: str, schema: Mapping[str, Any], deadline: float) -> Completion:
        """The model's answer to a prompt, constrained to a JSON schema where the server supports it.

        Temporary failures (too many requests, a server error, a broken connection) are retried until `deadline`, an
        instant of `time.monotonic()`. If the server refuses a mode or fails twice in it, the next mode is tried; the
        mode that works is remembered. Raises ModelFailed.
        """
        began, mode, failures, waits = time.monotonic(), self.modes.of(self.chosen.engine), 0, 0
        may_cost, last_fault = False, None
        while True:
            answer, fault = self._try(prompt_system, prompt_user, schema, mode, deadline)
            if fault is None:
                self.modes.worked(self.chosen.engine, mode)
                return self._completion(answer, mode, began)
            may_cost = may_cost or fault.may_cost
            # Report the earlier fault: an attempt that ran out of time is less informative.
            last_fault = last_fault if last_fault and fault.is_late else fault
            failures += last_fault.fails_inside
            if (last_fault.refuses_mode or failures == MOST_FAILURES) and mode != modes.LADDER[-1]:
                mode, failures = modes.below(mode), 0
                continue
            waits += 1
            if not _wait(last_fault, waits, deadline):
                raise ModelFailed(last_fault.reason, may_cost=may_cost)

    def _try(
        self, system: str, user: str, schema: Mapping[str, Any], mode: Mode, deadline: float
    ) -> tuple[StreamedCompletion, Fault | None]:
        from service.sources.llm import transport

        answer, left = StreamedCompletion(), deadline - time.monotonic()
        if left < LEAST_S:
            return answer, transport.NOT_SENT
        request = self._request(system, user, schema, mode)
        try:
            with self.client.chat.completions.create(**request, stream=True, timeout=left) as pieces:
                answer.read(pieces)
                is_stream = "event-stream" in pieces.response.headers.get("Content-Type", "")
        # A malformed response can raise any exception. A complete answer is accepted in spite of it.
        except Exception as error:
            return answer, None if answer.is_whole else transport.fault_of(error)
        if answer.text or answer.is_whole:
            return answer, None
        return answer, transport.BROKEN_OFF if is_stream and not answer.pieces else transport.BAD_ANSWER

    def _request(self, system: str, user: str, schema: Mapping[str, Any], mode: Mode) -> dict[str, Any]:
        provider = self.chosen.provider
        request = {
            "model": self.chosen.model,
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

    def _completion(self, answer: StreamedCompletion, mode: Mode, began: float) -> Completion:
        price, tokens, usd = self.price, None, None
        if answer.input_tokens is not None and answer.output_tokens is not None:
            tokens = answer.input_tokens + answer.output_tokens
            usd = price and price.of(answer.input_tokens, answer.output_tokens)
        return Completion(answer.text, tokens, usd, 1000 * (time.monotonic() - began), mode)


def _wait(fault: Fault, waits: int, deadline: float) -> bool:
    """Wait before a retry, then return True; return False at once if a retry is pointless or comes too late."""
    if not fault.is_passing or waits > MOST_WAITS:
        return False
    # The jitter spreads the retries of seats that were refused at the same time.
    seconds = max(fault.wait_s, FIRST_WAIT_S * 2 ** (waits - 1)) * random.uniform(1.0, 1.25)
    if time.monotonic() + seconds + LEAST_S > deadline:
        return False
    with limits.waiting():
        time.sleep(seconds)
    return True


def open_client(base_url: str, api_key: str) -> OpenAI:
    """A client of the SDK, which any number of threads may share."""
    import httpx2
    from openai import Omit, OpenAI

    from service.sources.llm.transport import Transport

    proxy = "" if is_loopback(base_url) else proxy_of(base_url)
    headers = {"Accept-Encoding": "identity", "OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
    return OpenAI(
        base_url=base_url,
        # The SDK requires a key; a server without authentication ignores it.
        api_key=api_key or "none",
        # The SDK reads omitted values from the environment and would send one provider's values to all providers.
        admin_api_key="",
        organization="",
        project="",
        default_headers=headers,  # pyright: ignore[reportArgumentType]  # the SDK removes headers set to Omit
        max_retries=0,
        http_client=httpx2.Client(transport=Transport(proxy), follow_redirects=False),
    )
