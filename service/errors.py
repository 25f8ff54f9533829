"""Everything this service raises on purpose, as one family.

    NinefoldError
    ├── InvalidRequest              the caller can mend it by asking differently
    │   ├── InvalidQuestion         a market question that cannot be answered as it stands
    │   └── NotAMarketQuestion      no asset and no market matter in it
    ├── AccessDenied
    │   ├── MissingKey              a key is needed and none was sent
    │   └── InvalidKey              malformed, unknown, revoked or mistyped: never said which
    ├── NotFound
    ├── Conflict                    the same Idempotency-Key is still being answered
    │   └── VotingClosed            nobody votes on this any more
    ├── IdempotencyMismatch         the same Idempotency-Key came with another body
    ├── LimitReached
    │   ├── RateLimited             too many in a short window
    │   └── QuotaExhausted          the day's quota is used up
    ├── Unavailable                 nobody can answer right now, trying again later may help
    │   ├── Busy                    as many questions are being answered as this process takes
    │   └── NoVoters                too few voters answered
    ├── SourceFailed                an outside source gave nothing usable
    └── WrongWorld                  this database holds another world's data

None of them knows an HTTP status: `service.api.errors` maps each once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldError:
    """One thing wrong with one field of a request."""

    field: str
    message: str


class NinefoldError(Exception):
    """The root of the family. `detail` is a sentence a caller may read."""

    code = "internal_error"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class InvalidRequest(NinefoldError):
    """What was sent cannot be accepted; `errors` names the fields and what they may hold."""

    code = "invalid_request"

    def __init__(self, detail: str, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.errors = tuple(errors)


class InvalidQuestion(InvalidRequest):
    """It is about markets, but the deadline, level or asset cannot be answered for."""

    code = "invalid_question"


class NotAMarketQuestion(InvalidRequest):
    """It names no asset and no market matter."""

    code = "not_a_market_question"


class AccessDenied(NinefoldError):
    """The caller is not known here."""


class MissingKey(AccessDenied):
    code = "missing_api_key"


class InvalidKey(AccessDenied):
    code = "invalid_api_key"


class NotFound(NinefoldError):
    code = "not_found"


class Conflict(NinefoldError):
    code = "in_progress"


class VotingClosed(Conflict):
    """Its deadline has passed, or what it asks is already known."""

    code = "voting_closed"


class IdempotencyMismatch(NinefoldError):
    code = "idempotency_mismatch"


class LimitReached(NinefoldError):
    """A limit was reached; says which, and when it opens again.

    `limit` and `remaining` are calls, `reset_at` is a unix second, `retry_after_s` seconds from now.
    """

    code = "rate_limited"

    def __init__(self, detail: str, *, limit: int, remaining: int, reset_at: int, retry_after_s: int) -> None:
        super().__init__(detail)
        self.limit = limit
        self.remaining = remaining
        self.reset_at = reset_at
        self.retry_after_s = retry_after_s


class RateLimited(LimitReached):
    code = "rate_limited"


class QuotaExhausted(LimitReached):
    code = "quota_exhausted"


class Unavailable(NinefoldError):
    """Nobody can answer right now; `retry_after_s` says when trying again makes sense."""

    code = "unavailable"

    def __init__(self, detail: str, *, retry_after_s: int = 5) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class Busy(Unavailable):
    code = "busy"


class NoVoters(Unavailable):
    """Too few voters answered; `abstained` says why each of them did not."""

    code = "unavailable"

    def __init__(self, detail: str, *, abstained: Mapping[str, str], retry_after_s: int = 30) -> None:
        super().__init__(detail, retry_after_s=retry_after_s)
        self.abstained = dict(abstained)


class SourceFailed(NinefoldError):
    code = "source_failed"


class WrongWorld(NinefoldError):
    code = "wrong_world"
