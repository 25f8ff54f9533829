"""The list of markets is renewed every minute."""

from __future__ import annotations


def test_user_votes_are_published_within_a_minute(house):
    """And a later vote of the same caller takes the place of the first."""
    house.register()
    headers = {"X-API-Key": house.key}
    market = house.client.get("/api/v1/predictions", headers=headers).get_json()["markets"][-1]["id"]
    for vote in ("yes", "no"):
        answer = house.client.post(f"/api/v1/predictions/{market}/vote", json={"vote": vote}, headers=headers)
        assert answer.status_code == 200
        house.move(60)
        listed = house.client.get("/api/v1/predictions", headers=headers).get_json()["markets"]
        tally = next(shown["user_votes"] for shown in listed if shown["id"] == market)
        assert (tally["yes"], tally["no"], tally["total"]) == (vote == "yes", vote == "no", 1)
