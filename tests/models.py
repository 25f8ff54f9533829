"""Six language models on this machine, one for each seat, and what came to them and to their callers."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from string import Formatter
from typing import Any

from service.forecasting.voters.inputs import INPUTS
from tests.processes import PATIENCE_S
from tests.sources.llm.model_server import Behaviour, Handler, ModelServer, answers, events, serving, vote_text

# Known names at an address of one's own: they are priced, and no key of a provider is sent.
ENGINES = {
    "momentum": "openai:gpt-5-mini",
    "reversion": "anthropic:claude-haiku-4-5",
    "breadth": "gemini:gemini-2.5-flash",
    "regime": "deepseek:deepseek-chat",
    "trend": "xai:grok-4",
    "news": "mistral:mistral-small-latest",
}
BRAINS = ("vol", "garch", "sv")

Servers = Mapping[str, ModelServer]


@contextmanager
def six_models() -> Iterator[Servers]:
    """A server for each seat; each gives a sound vote until a test says otherwise."""
    with ExitStack() as stack:
        yield {seat: stack.enter_context(serving()) for seat in ENGINES}


def seats(servers: Servers, engines: Mapping[str, str] = ENGINES) -> dict[str, Any]:
    """The options that put a model of each server into its seat."""
    return {
        "oracle_seats": {seat: {"model": engines[seat], "base_url": server.address} for seat, server in servers.items()}
    }


def calls(servers: Servers) -> dict[str, int]:
    """How often each model was asked."""
    return {seat: len(server.requests) for seat, server in servers.items()}


def hangs_until_left(handler: Handler) -> None:
    """It says nothing for as long as somebody waits."""
    handler.close_connection = True
    handler.rfile.read(1)


def drips_each_second(handler: Handler) -> None:
    handler.begin()
    handler.drip(events(vote_text()), 1.0)


def waits_for(release: threading.Event, text: str) -> Behaviour:
    """It says `text` once it is released."""

    def behave(handler: Handler) -> None:
        assert release.wait(PATIENCE_S)
        answers(text)(handler)

    return behave


def is_quiet() -> bool:
    """Whether no request to a model is open on either side: what is left of them are idle threads of the pool."""
    frames = sys._current_frames()
    for thread in threading.enumerate():
        if "process_request_thread" in thread.name:
            return False
        frame = frames.get(thread.ident)
        # A thread of an executor that has nothing to do stands in the executor's own loop.
        if thread.name.startswith("model_") and frame and frame.f_code.co_name != "_worker":
            return False
    return True


def threads_beside_the_pool() -> set[str]:
    return {thread.name for thread in threading.enumerate() if not thread.name.startswith("model_")}


def messages(request: Mapping[str, Any]) -> tuple[str, str]:
    """What a model was told by the service, and what it was asked."""
    system, user = request["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    return system["content"], user["content"]


def inputs_told(user: str) -> list[str]:
    """The names of the inputs that a prompt tells, in its order; fails at a line that is no input."""
    section = user.partition("Shown to your seat alone")[2].partition("\n\n")[0]
    return [_input_of(line) for line in section.splitlines()[1:] if line]


def _input_of(line: str) -> str:
    (name,) = [name for name, phrase in INPUTS.items() if re.fullmatch(rf"- \w+: {_pattern(phrase)}", line)]
    return name


def _pattern(phrase: str) -> str:
    """A phrase of the inputs with any word where its values stand."""
    return "".join(
        re.escape(words) + (r"\S+(?: coins)?" if field else "") for words, field, *_ in Formatter().parse(phrase)
    )


def fenced(user: str) -> str:
    """The caller's words as a prompt quotes them."""
    words = user.rpartition("The caller's own words")[2]
    return re.search(r"^begin (\S+)\n(.*)\nend \1$", words, re.MULTILINE).group(2)


def streamed(piece: bytes) -> tuple[str, Any]:
    """The name and the data of an event."""
    name, data = piece.decode().rstrip("\n").split("\n")
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))
