"""The errors that this service raises on purpose, as one family; `service.api.errors` maps each to an HTTP status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

RequestPart = Literal["body", "query", "header"]


@dataclass(frozen=True)
class FieldError:
    """One thing wrong with one field of a request; `code` is stable, `message` is for people.

    `place` is where the field stands; None where the body of the request, or without one its query, is meant.
    """

    field: str
    message: str
    code: str = "invalid"
    place: RequestPart | None = None


class NinefoldError(Exception):
    """The root of the family. `detail` is a sentence a caller may read."""

    code = "internal_error"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class InvalidRequest(NinefoldError):
    """The input is invalid; `errors` names the fields and what they may contain.

    `suggestions` are questions close to a refused one that would be accepted.
    """

    code = "invalid_request"

    def __init__(self, detail: str, errors: Sequence[FieldError] = (), suggestions: Sequence[str] = ()) -> None:
        super().__init__(detail)
        self.errors = tuple(errors)
        self.suggestions = tuple(suggestions)


class InvalidQuestion(InvalidRequest):
    """The question is about markets, but its deadline, level or asset cannot be handled."""

    code = "invalid_question"


class UnreadQuestion(InvalidQuestion):
    """The rules failed on the text, which is a fault of ours; `__cause__` says how."""


class AssumedReading(InvalidQuestion):
    """The question leaves a choice, and the caller wants no answer to an assumption; the readings are suggested."""

    code = "assumed_reading"


class NotAMarketQuestion(InvalidRequest):
    """The question names no asset and no market matter."""

    code = "not_a_market_question"


class AccessDenied(NinefoldError):
    """The caller is not authenticated."""


class MissingKey(AccessDenied):
    code = "missing_api_key"  # a key is required and none was sent


class InvalidKey(AccessDenied):
    code = "invalid_api_key"  # malformed, unknown, revoked or mistyped: the answer never says which


class PlanRequired(NinefoldError):
    """The key's plan does not include this; GET /api/v1/plans lists what each plan includes."""

    code = "plan_required"


class CallerBlocked(NinefoldError):
    """The operator of this service lets this caller read and no longer write."""

    code = "caller_blocked"


class RegistrationClosed(NinefoldError):
    """Only the operator of this service issues keys."""

    code = "registration_closed"


class ResourceNotFound(NinefoldError):
    code = "not_found"


class RequestConflict(NinefoldError):
    """A request with the same Idempotency-Key is in progress; `retry_after_s` says when to try again."""

    code = "in_progress"

    def __init__(self, detail: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class VotingClosed(RequestConflict):
    """The deadline has passed, or the outcome is already known."""

    code = "voting_closed"


class NameTaken(RequestConflict):
    """Another forecaster has this name, or it is one of the service's own."""

    code = "name_taken"


class KeyReplaced(RequestConflict):
    """Another request has replaced the key at the same time."""

    code = "key_replaced"


class TooManyWebhooks(RequestConflict):
    """The key already has as many webhooks as it may have."""

    code = "too_many_webhooks"


class IdempotencyMismatch(NinefoldError):
    code = "idempotency_mismatch"  # the same Idempotency-Key came with another body


class LimitReached(NinefoldError):
    """A limit was reached; names the limit and when it resets.

    `limit` and `remaining` are calls, `reset_at` is a unix second, `retry_after_s` seconds from now.
    """

    code = "rate_limited"

    def __init__(self, detail: str, *, limit: int, remaining: int, reset_at: int, retry_after_s: int) -> None:
        super().__init__(detail)
        self.limit = limit
        self.remaining = remaining
        self.reset_at = reset_at
        self.retry_after_s = retry_after_s


class QuotaExhausted(LimitReached):
    code = "quota_exhausted"  # the daily quota is used up


class ServiceUnavailable(NinefoldError):
    """The request cannot be answered right now; `retry_after_s` says when to try again."""

    code = "unavailable"

    def __init__(self, detail: str, *, retry_after_s: int = 5) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class Busy(ServiceUnavailable):
    code = "busy"  # this process already answers as many questions as it accepts


class HistoryArriving(ServiceUnavailable):
    """The price history is still arriving; `retry_after_s` estimates the seconds that are left."""

    code = "history_arriving"


class NoVoters(ServiceUnavailable):
    """Too few voters answered; `abstained` has the reason of each voter that did not."""

    def __init__(self, detail: str, *, abstained: Mapping[str, str], retry_after_s: int = 30) -> None:
        super().__init__(detail, retry_after_s=retry_after_s)
        self.abstained = dict(abstained)


class SourceFailed(NinefoldError):
    """An outside source gave nothing usable."""

    code = "source_failed"


class WrongWorld(NinefoldError):
    """This database belongs to another world."""

    code = "wrong_world"


class WrongClock(NinefoldError):
    """Stored prices lie ahead of the clock."""

    code = "wrong_clock"


# What `make run` does not install, because most do not need it.
OPTIONAL_PACKAGES = ("genai_prices", "granian", "openai", "psycopg", "pyarrow", "redis", "rfc3161_client")


class PackagesMissing(NinefoldError):
    """Something was asked for that needs a package of OPTIONAL_PACKAGES, which is not installed."""

    code = "packages_missing"

    @classmethod
    def of(cls, error: ModuleNotFoundError) -> PackagesMissing:
        """The error of a failed import; one of any other package is a fault of ours and is raised again."""
        name = (error.name or "").partition(".")[0]
        if name not in OPTIONAL_PACKAGES:
            raise error
        return cls(
            f"This needs the package {name}, which is not installed: `make install`, or `pip install "
            "'ninefold[models,server,tables,timestamps]'`, adds what language models, PostgreSQL, Redis, Parquet files "
            "and timestamps need."
        )
