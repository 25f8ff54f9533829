"""Which email addresses are accepted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.emails import LONGEST_EMAIL, normalised
from service.errors import InvalidRequest

LABEL = "a" * 63


@pytest.mark.parametrize(
    "email", ["you@example.com", "first.last+tag@mail.example.co.uk", "o'neil@x-y.io", "a@xn--mnchen-3ya.de"]
)
def test_an_ordinary_address_is_accepted_as_it_is(email):
    assert normalised(email) == email


def test_the_case_of_an_address_makes_no_other_address():
    assert normalised("You@Example.COM") == "you@example.com"


@pytest.mark.parametrize(
    ("email", "mailbox"),
    [
        ("J.Doe+news@Gmail.com", "jdoe@gmail.com"),
        ("jdoe@googlemail.com", "jdoe@gmail.com"),
        ("j.doe+news@outlook.com", "j.doe@outlook.com"),
        ("j.doe+news@fastmail.com", "j.doe@fastmail.com"),
        ("j_d.o-e+news@protonmail.com", "jdoe@proton.me"),
        ("j.doe+news@example.com", "j.doe+news@example.com"),
        ("...@gmail.com", "...@gmail.com"),
        ("+news@gmail.com", "+news@gmail.com"),
    ],
)
def test_spellings_that_a_provider_ignores_are_one_mailbox(email, mailbox):
    assert normalised(email) == normalised(mailbox) == mailbox


@given(st.emails())
def test_a_short_ascii_address_of_rfc_5322_is_accepted(email):
    local, _, domain = email.partition("@")
    if len(local) <= 64 and len(email) <= LONGEST_EMAIL and "." in domain:
        assert normalised(email) == email.lower()


@pytest.mark.parametrize(
    "email",
    [
        "",
        "you",
        "@example.com",
        "you@",
        "you@localhost",
        "you@@example.com",
        "you@example..com",
        "you@-example.com",
        "you@example.com.",
        " you@example.com",
        "you@example.com\n",
        "you\x00@example.com",
        "you me@example.com",
        "yöu@example.com",
        "you@exämple.com",
        "<you@example.com>",
        f"{'a' * 65}@example.com",
        f"you@{LABEL}a.com",
        f"{'a' * 64}@{LABEL}.{LABEL}.{LABEL}.com",
    ],
)
def test_anything_else_is_refused_and_the_field_is_named(email):
    with pytest.raises(InvalidRequest) as refusal:
        normalised(email)
    assert [error.field for error in refusal.value.errors] == ["email"]


def test_the_longest_address_that_mail_can_carry_is_accepted():
    email = f"{'a' * 64}@{LABEL}.{LABEL}.{'a' * 57}.com"
    assert len(email) == LONGEST_EMAIL
    assert normalised(email) == email
