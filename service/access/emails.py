"""E-mail addresses: which are accepted, and when two of them are the same."""

from __future__ import annotations

import re

from service.errors import FieldError, InvalidRequest

LONGEST_EMAIL = 254
# The address of HTML's `<input type=email>` (WHATWG, 4.10.5.1.5), with a dot in its domain. One pattern serves
# the description of the API, where other engines read it, and the check here.
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = rf"^[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@{_LABEL}(?:\.{_LABEL})+$"


def normalised(email: str) -> str:
    """The address in lower case, which is how it is stored; InvalidRequest when it is none."""
    if len(email) > LONGEST_EMAIL or not re.fullmatch(EMAIL, email):
        raise InvalidRequest("The email address is not valid.", [FieldError("email", "must be an email address")])
    return email.lower()
