"""How a model is made to answer in a form that can be read, learnt from what it refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Lock
from typing import Any, Literal

Mode = Literal["json_schema", "json_object_schema", "json_object", "text"]

LADDER: tuple[Mode, ...] = ("json_schema", "json_object_schema", "json_object", "text")
PATIENCE = 2  # unusable answers in a row, after which the next mode is tried

# What a refusal names when it is the mode that is refused and not the question.
NAMES = ("response_format", "json_schema", "json_object", "json schema", "json mode", "structured output", "grammar")


def response_format(mode: Mode, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a request says of the form of its answer; None where it says nothing."""
    match mode:
        case "json_schema":
            return {"type": "json_schema", "json_schema": {"name": "vote", "strict": True, "schema": dict(schema)}}
        case "json_object_schema":
            return {"type": "json_object", "schema": dict(schema)}
        case "json_object":
            return {"type": "json_object"}
    return None


def instructions(system: str, mode: Mode, schema: Mapping[str, Any]) -> str:
    """The system prompt, followed by the schema where the request does not hold the model to it for certain."""
    if mode == "json_schema":
        return system
    return f"{system}\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n{json.dumps(schema)}"


def below(mode: Mode) -> Mode:
    """The mode to try when `mode` is refused; the last one is its own."""
    return LADDER[min(LADDER.index(mode) + 1, len(LADDER) - 1)]


def names_the_mode(told: str) -> bool:
    """Whether a refusal is one of the mode."""
    told = told.lower()
    return any(name in told for name in NAMES)


class Modes:
    """The mode each model is asked in. Many threads may use it at once; it forgets when the process ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._learnt: dict[str, Mode] = {}
        self._unusable: dict[str, int] = {}

    def of(self, engine: str) -> Mode:
        """The mode to ask this model in."""
        with self._lock:
            return self._learnt.get(engine, LADDER[0])

    def worked(self, engine: str, mode: Mode) -> None:
        """It answered in `mode`; if it was asked in another one before, that one is not tried again."""
        with self._lock:
            self._learn(engine, mode)

    def unusable(self, engine: str, mode: Mode) -> None:
        """What it answered in `mode` could not be read; the second time in a row steps down."""
        with self._lock:
            if self._learnt.get(engine, LADDER[0]) != mode:
                return
            self._unusable[engine] = self._unusable.get(engine, 0) + 1
            if self._unusable[engine] >= PATIENCE:
                self._learn(engine, below(mode))

    def usable(self, engine: str) -> None:
        """What it answered could be read."""
        with self._lock:
            self._unusable.pop(engine, None)

    def _learn(self, engine: str, mode: Mode) -> None:
        # A call that began before another one learnt better has nothing to add.
        if LADDER.index(mode) > LADDER.index(self._learnt.get(engine, LADDER[0])):
            self._learnt[engine] = mode
            self._unusable.pop(engine, None)
