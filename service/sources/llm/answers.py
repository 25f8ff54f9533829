"""A model's answer, put together from the pieces that it comes in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_TEXT = 64 * 2**10  # characters, a hundred times the longest vote
MOST_TOLD = 10_000_000  # tokens of one call that a server may claim


class TooMuchText(Exception):
    """The model does not come to an end."""


@dataclass
class Answer:
    """What has come so far; `is_whole` once the model said that it is at its end. Tokens are None until told."""

    pieces: int = 0
    text: str = ""
    is_whole: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None

    def read(self, pieces: Iterable[Any]) -> None:
        """Take in what the SDK makes of a stream; it checks nothing of what a server sends."""
        texts: list[str] = []
        count = 0
        try:
            for piece in pieces:
                self.pieces += 1
                self._note_usage(getattr(piece, "usage", None))
                for choice in (getattr(piece, "choices", None) or [])[:1]:
                    text = getattr(getattr(choice, "delta", None), "content", None)
                    if isinstance(text, str):
                        texts.append(text)
                        count += len(text)
                    self.is_whole = self.is_whole or bool(getattr(choice, "finish_reason", None))
                if count > MOST_TEXT:
                    raise TooMuchText
        finally:
            self.text = "".join(texts)

    def _note_usage(self, usage: Any) -> None:
        told = (getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
        if all(isinstance(tokens, int) and 0 <= tokens <= MOST_TOLD for tokens in told):
            self.input_tokens, self.output_tokens = told
