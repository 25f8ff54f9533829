"""Why a language model gave no vote, in words that may be published.

Nothing that a provider wrote goes into them: it may hold a part of the key, or whatever the model was made to say.
"""

from __future__ import annotations

from service.errors import SourceFailed


class ModelFailed(SourceFailed):
    """The model was asked and gave nothing usable.

    `reason` is short and begins with a verb: the engine is its subject. `may_cost` says that it had begun to answer,
    so that its tokens may be charged although nobody told how many.
    """

    def __init__(self, reason: str, *, may_cost: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_cost = may_cost


class NotAsked(SourceFailed):
    """The model was not asked at all; `reason` says why, with the engine as its subject."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
