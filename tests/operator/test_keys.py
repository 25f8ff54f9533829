"""API keys on the command line."""

from __future__ import annotations

import json


def test_the_command_line_mints_lists_grants_and_revokes(web, operate):
    def shell(*words: str):
        code, printed, complaint = operate(*words, "--json")
        assert (code, complaint) == (0, "")
        return json.loads(printed)

    minted = shell("keys", "mint", "--delegating", "--email", "Bot@Example.com", "--app-name", "bot")
    key, id = minted["api_key"], minted["key_id"]
    assert web.ask(key, headers={"X-End-User": "alice"}).status_code == 200
    assert shell("keys", "grant", id, "paid")["plan"] == "paid"
    assert web.ask(key).headers["X-RateLimit-Limit"] == "100"
    listed = shell("keys", "list", "--email", "bot@example.com")
    assert [(row["key_id"], row["plan"], row["delegating"], row["app_name"]) for row in listed] == [
        (id, "paid", True, "bot")
    ]
    assert shell("keys", "revoke", id)["revoked_at"]
    assert web.ask(key).json["code"] == "invalid_api_key"
