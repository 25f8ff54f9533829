"""What a command prints: a table, or the fields of one thing."""

from __future__ import annotations

from service.store import keys
from tests.api.web import EMAIL


def test_a_list_is_a_table_that_shows_no_hash(web, operate):
    id = web.register().json["key_id"]
    code, printed, _ = operate("keys", "list")
    heading, row = printed.splitlines()
    assert code == 0
    assert heading.split()[:4] == ["key_id", "plan", "delegating", "email"]
    assert row.split()[:4] == [id, "free", "no", EMAIL]
    with web.database.reading() as db:
        assert keys.find_key(db, id).hash not in printed


def test_a_minted_key_is_readable_without_json(operate):
    _, printed, _ = operate("keys", "mint", "--email", EMAIL)
    fields = dict(line.split(maxsplit=1) for line in printed.splitlines())
    assert fields["api_key"].startswith(f"nf_live_{fields['key_id']}_")
