"""Reasons why a language model gave no vote; they are published.

They never quote a provider's response, because it may contain a part of the key or text injected into the model.
"""

from __future__ import annotations

from service.errors import SourceFailed


class ModelFailed(SourceFailed):
    """The model received a request and gave no usable answer.

    `reason` is short and begins with a verb whose subject is the engine. `may_cost` is true if the model may have
    started to answer, so the provider may charge an unknown number of tokens.
    """

    def __init__(self, reason: str, *, may_cost: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_cost = may_cost


class NotAsked(SourceFailed):
    """No request was sent to the model; the subject of `reason` is the engine."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
