"""The family of errors: each has a code, and the docstring draws them all."""

from __future__ import annotations

import inspect

import pytest

from service import errors
from service.errors import (
    FieldError,
    InvalidRequest,
    NinefoldError,
    NoVoters,
    QuotaExhausted,
    ServiceUnavailable,
)

FAMILY = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, NinefoldError)]


@pytest.mark.parametrize("kind", FAMILY)
def test_the_docstring_draws_every_error(kind: type[NinefoldError]):
    """Under its parent, four characters further right."""
    lines = {
        line.split("── ")[-1].split()[0]: line for line in errors.__doc__.splitlines()[2:] if line.startswith("    ")
    }
    parent = kind.__mro__[1]
    if kind is not NinefoldError:
        assert lines[kind.__name__].index(kind.__name__) == lines[parent.__name__].index(parent.__name__) + 4


def test_a_detail_is_the_message():
    assert (str(NinefoldError("Why.")), NinefoldError("Why.").detail) == ("Why.", "Why.")


def test_an_invalid_request_names_its_fields():
    refusal = InvalidRequest("No.", [FieldError("email", "No.")], ["Another?"])
    assert (refusal.errors, refusal.suggestions) == ((FieldError("email", "No."),), ("Another?",))
    assert (InvalidRequest("No.").errors, InvalidRequest("No.").suggestions) == ((), ())


def test_a_limit_says_when_it_opens_again():
    used_up = QuotaExhausted("Used up.", limit=10, remaining=0, reset_at=100, retry_after_s=40)
    assert (used_up.limit, used_up.remaining, used_up.reset_at, used_up.retry_after_s) == (10, 0, 100, 40)


def test_an_unavailable_service_says_when_to_try_again():
    assert (
        ServiceUnavailable("Later.").retry_after_s,
        ServiceUnavailable("Later.", retry_after_s=9).retry_after_s,
    ) == (5, 9)
    too_few = NoVoters("Too few.", abstained={"vol": "no bars"})
    assert (too_few.abstained, too_few.retry_after_s) == ({"vol": "no bars"}, 30)
