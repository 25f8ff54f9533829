"""Output modes, of which each model gets the strictest that it supports, and an answer as it streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal

Mode = Literal["json_schema", "json_object_schema", "json_object", "text"]

LADDER: tuple[Mode, ...] = ("json_schema", "json_object_schema", "json_object", "text")
MOST_FAILURES = 2  # consecutive unusable answers after which the next mode is tried

# Terms in an error message that show that the server refused the mode, not the question.
NAMES = ("response_format", "schema", "json_object", "json mode", "structured output", "grammar")


def response_format(mode: Mode, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The `response_format` field of a request; None in text mode."""
    match mode:
        case "json_schema":
            return {"type": "json_schema", "json_schema": {"name": "vote", "strict": True, "schema": dict(schema)}}
        case "json_object_schema":
            return {"type": "json_object", "schema": dict(schema)}
        case "json_object":
            return {"type": "json_object"}
    return None


def instructions(system: str, mode: Mode, schema: Mapping[str, Any]) -> str:
    """The system prompt, followed by the schema unless the mode enforces it."""
    if mode == "json_schema":
        return system
    return f"{system}\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n{json.dumps(schema)}"


def below(mode: Mode) -> Mode:
    """The mode to try after `mode` is refused; the last mode is followed by itself."""
    return LADDER[min(LADDER.index(mode) + 1, len(LADDER) - 1)]


def names_the_mode(refusal: str) -> bool:
    """Whether an error message refuses the mode."""
    refusal = refusal.lower()
    return any(name in refusal for name in NAMES)


class Modes:
    """The mode of each model, safe for threads; kept in memory until the process ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._learnt: dict[str, Mode] = {}
        self._failures: dict[str, int] = {}

    def of(self, engine: str) -> Mode:
        """The mode to use for this model."""
        with self._lock:
            return self._learnt.get(engine, LADDER[0])

    def worked(self, engine: str, mode: Mode) -> None:
        """Record that the model answered in `mode`; stricter modes are not tried again."""
        with self._lock:
            self._learn(engine, mode)

    def unusable(self, engine: str, mode: Mode) -> None:
        """Record an unusable answer in `mode`; after the second in a row the next mode is used."""
        with self._lock:
            if self._learnt.get(engine, LADDER[0]) != mode:
                return
            self._failures[engine] = self._failures.get(engine, 0) + 1
            if self._failures[engine] >= MOST_FAILURES:
                self._learn(engine, below(mode))

    def usable(self, engine: str) -> None:
        with self._lock:
            self._failures.pop(engine, None)

    def _learn(self, engine: str, mode: Mode) -> None:
        # Concurrent calls may report an older mode; the mode only moves down the ladder.
        if LADDER.index(mode) > LADDER.index(self._learnt.get(engine, LADDER[0])):
            self._learnt[engine] = mode
            self._failures.pop(engine, None)


MOST_TEXT = 64 * 2**10  # characters; 100 times the longest vote
LARGEST_COUNT = 10_000_000  # tokens; a server that reports more for one call is ignored


class TooMuchText(Exception):
    """The answer, or the response that holds it, exceeds its maximum length."""


def _text(content: object) -> str:
    """The answer in a chunk: a text, or the texts among the parts of Mistral's models, which think in other parts."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


@dataclass
class StreamedCompletion:
    """The part of an answer received so far.

    `is_whole` is true once the model has sent a finish reason. The token counts are None until the server reports them.
    """

    pieces: int = 0
    text: str = ""
    is_whole: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None

    def read(self, pieces: Iterable[Any]) -> None:
        """Read the chunks that the SDK parsed; the SDK does not validate them."""
        texts: list[str] = []
        count = 0
        try:
            for piece in pieces:
                self.pieces += 1
                usage = getattr(piece, "usage", None)
                counts = (getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
                if all(isinstance(tokens, int) and 0 <= tokens <= LARGEST_COUNT for tokens in counts):
                    self.input_tokens, self.output_tokens = counts
                for choice in (getattr(piece, "choices", None) or [])[:1]:
                    text = _text(getattr(getattr(choice, "delta", None), "content", None))
                    texts.append(text)
                    count += len(text)
                    self.is_whole = self.is_whole or bool(getattr(choice, "finish_reason", None))
                if count > MOST_TEXT:
                    raise TooMuchText
        finally:
            self.text = "".join(texts)
