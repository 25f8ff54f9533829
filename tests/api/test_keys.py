"""Registering for a key, using it, rotating it, revoking it."""

from __future__ import annotations

import pytest
from werkzeug.test import TestResponse

from service.access.keys import NOBODY, key_id, mint
from service.access.quota import NETWORK_FACTOR
from service.api import auth
from service.config import Settings
from service.store import keys
from tests.api.web import EMAIL, Web, refusal_of

UNKNOWN = mint(b"gone", bytes(32))


def me(web: Web, key: str | None, **options) -> TestResponse:
    return web.send("GET", "/api/v1/me", key=key, **options)


class TestRegistering:
    def test_gives_a_working_key_and_its_limits(self, web):
        body = web.send("POST", "/api/v1/register", json={"email": EMAIL, "app_name": "dashboard"}).json
        key = body.pop("api_key")
        assert body.pop("quota") == {"limit": 10, "remaining": 10, "reset_at": "2026-11-22T00:00:00Z"}
        assert body.pop("created_at") == "2026-11-21T12:00:00Z"
        assert body == {"daily_limit": 10, "key_id": key_id(key), "plan": "free", "app_name": "dashboard"}
        assert web.ask(key).status_code == 200

    def test_does_not_reveal_whether_the_email_is_registered(self, web):
        first, repetition = web.register().json, web.register(EMAIL.upper()).json
        assert first["app_name"] is None
        for answer in (first, repetition):
            del answer["api_key"], answer["key_id"]
        assert first == repetition

    def test_answers_an_invalid_email_with_an_example(self, web):
        answer = web.register("nobody")
        assert refusal_of(answer) == (400, "invalid_request", "email")
        assert answer.json["errors"][0]["message"].endswith("such as you@example.com")

    def test_a_stranger_does_not_use_up_the_keys_of_an_email(self, web):
        """However it is spelt: nobody proves that an email is theirs, and the stranger's own address is limited."""
        spellings = ("j.doe@gmail.com", "JDoe+a@GMail.com", "jdoe@googlemail.com", "jd.oe+b@gmail.com")
        strangers = [web.register(email, address="203.0.113.9") for email in (*spellings, *spellings, *spellings)]
        assert [answer.status_code for answer in strangers] == [200] * 10 + [429] * 2
        answer = web.register(spellings[0], address="203.0.113.1")
        assert me(web, answer.json["api_key"]).status_code == 200

    def test_the_networks_of_one_site_share_a_limit(self, web):
        """655,360 keys a day came from one IPv6 /48 when only its 65,536 networks were counted."""
        came = [
            web.register(f"{n}@example.com", address=f"2001:db8:1:{n:x}::1").status_code
            for n in range(10 * NETWORK_FACTOR + 1)
        ]
        assert came == [200] * 10 * NETWORK_FACTOR + [429]
        assert web.register("other@example.com", address="2001:db8:2::1").status_code == 200

    def test_a_closed_service_registers_nobody(self, web):
        web.settings = Settings(registration="closed")
        web.app = web.started()
        assert refusal_of(web.register()) == (403, "registration_closed")

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "email"),
            *(({"email": email}, "email") for email in (None, f"{'a' * 250}@example.com")),
            *(({"email": EMAIL, "app_name": name}, "app_name") for name in ("x" * 81, "", "two\nlines")),
            ({"email": EMAIL, "plan": "paid"}, "plan"),
        ],
    )
    def test_names_the_field_it_cannot_take(self, web, body, field):
        answer = web.send("POST", "/api/v1/register", json=body)
        assert refusal_of(answer) == (400, "invalid_request", field)


class TestAKey:
    @pytest.mark.parametrize("value", ["", "nonsense", UNKNOWN, UNKNOWN[:-1] + "0"])
    @pytest.mark.parametrize("path", ["/api/v1/me", "/look"])
    def test_that_is_wrong_is_refused_even_where_none_is_required(self, web, path, value):
        answer = web.send("GET", path, headers={"X-API-Key": value})
        assert (*refusal_of(answer), answer.json["detail"]) == (401, "invalid_api_key", "The API key is not valid.")

    def test_identifies_the_caller_where_it_is_optional(self, web, key):
        assert web.send("GET", "/look").json == {"caller": "address:203.0.113.7"}
        assert web.send("GET", "/look", key=key).json == {"caller": f"key:{key_id(key)}"}

    def test_of_an_unknown_id_is_compared_like_any_other(self, web, key, monkeypatch):
        """Else the time of the answer would tell which ids exist."""
        comparisons = []
        monkeypatch.setattr(auth, "matches", lambda *pair: comparisons.append(pair[1]) or False)
        assert [me(web, value).status_code for value in (key, UNKNOWN)] == [401, 401]
        assert (len(comparisons[0]), comparisons[1]) == (len(NOBODY), NOBODY)

    def test_is_read_from_its_header_alone(self, web, key):
        assert web.send("GET", f"/look?X-API-Key={key}").status_code == 400
        assert web.send("GET", "/api/v1/me", headers={"Authorization": f"Bearer {key}"}).status_code == 401


class TestItsOwner:
    def test_sees_plan_usage_and_reset_without_counting(self, web, key):
        web.ask(key)
        quota = {"limit": 10, "remaining": 9, "reset_at": "2026-11-22T00:00:00Z"}
        plain = {"key_id": key_id(key), "plan": "free", "delegating": False, "end_user": None, "forecaster": None}
        usage = {"daily_limit": 10, "used": 1, "quota": quota, "paused_webhooks": []}
        for _ in range(3):
            assert me(web, key).json == plain | usage

    def test_sees_the_usage_of_each_end_user(self, web):
        key = web.granted(delegating=True)
        web.ask(key, headers={"X-End-User": "alice"})
        usage = {user: me(web, key, headers={"X-End-User": user}).json["used"] for user in ("alice", "bob")}
        assert usage == {"alice": 1, "bob": 0}

    def test_has_nothing_left_after_a_downgrade_to_a_smaller_plan(self, web):
        key = web.granted(plan="paid")
        web.statuses(key, 30)
        with web.database.writing() as db:
            keys.grant_plan(db, key_id(key), "free")
        assert me(web, key).json["quota"]["remaining"] == 0

    def test_ends_it_by_a_rotation_that_keeps_its_plan_and_usage(self, web, key):
        """At once."""
        web.statuses(key, 4)
        body = web.send("POST", "/api/v1/me/rotate", key=key).json
        assert (body["key_id"], body["plan"], body["quota"]["remaining"]) == (key_id(key), "free", 6)
        assert me(web, key).json["code"] == "invalid_api_key"
        assert web.statuses(body["api_key"], 7) == {200: 6, 429: 1}

    def test_revokes_it_for_good_and_no_other_of_the_email(self, web, key):
        other = web.register().json["api_key"]
        answer = web.send("DELETE", "/api/v1/me", key=key)
        assert (answer.status_code, answer.data) == (204, b"")
        assert me(web, other).status_code == 200
        for method, path in (("GET", "/api/v1/me"), ("DELETE", "/api/v1/me"), ("POST", "/api/v1/me/rotate")):
            assert web.send(method, path, key=key).json["code"] == "invalid_api_key"
