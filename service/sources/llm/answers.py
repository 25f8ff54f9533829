"""A model's answer, assembled from the chunks of its stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_TEXT = 64 * 2**10  # characters; 100 times the longest vote
LARGEST_COUNT = 10_000_000  # tokens; a server that reports more for one call is ignored


class TooMuchText(Exception):
    """The answer exceeds the maximum length."""


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
        counts = (getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
        if all(isinstance(tokens, int) and 0 <= tokens <= LARGEST_COUNT for tokens in counts):
            self.input_tokens, self.output_tokens = counts
