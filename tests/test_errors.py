"""What the errors carry."""

from __future__ import annotations

from service.errors import FieldError, InvalidRequest, NinefoldError, NoVoters, QuotaExhausted, ServiceUnavailable


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
