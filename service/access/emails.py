"""E-mail addresses: which are accepted, and when two of them are the same."""

from __future__ import annotations

import re

from service.errors import FieldError, InvalidRequest

LONGEST_EMAIL = 254
# The address of HTML's `<input type=email>` (WHATWG, 4.10.5.1.5), with a dot in its domain. One pattern serves
# the description of the API, where other engines read it, and the check here.
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = rf"^[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@{_LABEL}(?:\.{_LABEL})+$"
EXPECTED = f"must be an email address of at most {LONGEST_EMAIL} characters, such as you@example.com"

# Domains of one provider, where the same name is the same mailbox, by the domain they are counted under.
ALIASES = {"googlemail.com": "gmail.com", "protonmail.com": "proton.me", "pm.me": "proton.me"}
# Providers that deliver you+anything to you, as their help pages say.
TAGGING = frozenset(
    {
        *("gmail.com", "proton.me", "icloud.com", "me.com", "mac.com"),
        *("outlook.com", "hotmail.com", "live.com", "msn.com"),
        *("fastmail.com", "fastmail.fm", "yandex.com", "yandex.ru", "ya.ru", "zoho.com", "hey.com"),
    }
)
# Characters of a name that the provider ignores.
IGNORED = {"gmail.com": ".", "proton.me": "._-"}


def normalised(email: str) -> str:
    """The spelling under which a mailbox is stored; raises InvalidRequest for what is not an email address.

    Lower case everywhere; for the providers above also without what they ignore. Mail to it still arrives.
    """
    if len(email) > LONGEST_EMAIL or not re.fullmatch(EMAIL, email):
        raise InvalidRequest("The email address is not valid.", [FieldError("email", EXPECTED)])
    name, _, domain = email.lower().partition("@")
    domain = ALIASES.get(domain, domain)
    if domain in TAGGING:
        name = name.partition("+")[0] or name
    bare = name.translate(str.maketrans("", "", IGNORED.get(domain, "")))
    return f"{bare or name}@{domain}"
