"""Every address asks for a key unless it is listed here."""

from __future__ import annotations

from flask import Flask

# Specification, "Authentication"; and what an operator's own tools read.
PUBLIC = {
    "GET /api/v1/ledger",
    "GET /api/v1/ledger/head",
    "GET /api/v1/ledger/<seq>",
    "GET /api/v1/ledger/proof/<seq>",
    "GET /api/v1/ledger/roots",
    "GET /api/v1/ledger/witness",
    "GET /api/v1/events",
    "GET /api/v1/plans",
    "POST /api/v1/register",
    "GET /api/v1/prices",
    "GET /api/v1/candles",
    "GET /api/v1/features",
    "GET /api/v1/features/<hash>",
    "GET /api/v1/forecasts/<asset>",
    "GET /api/v1/forecasts/record",
    "GET /api/v1/strategies",
    "GET /api/v1/strategies/<key>",
    "GET /llms.txt",
    "GET /skill.md",
    "GET /api/v1",
    "GET /api/v1/forecasts/<asset>/paths",
    "GET /docs/<name>",
    "GET /home/<name>",
    "GET /home/words/<language>.json",
    "GET /api/v1/ledger/vectors",
    "GET /api/v1/markets",
    "GET /api/v1/bot-battle",
    "GET /api/v1/bot-battle/export.csv",
    "GET /api/v1/bot-battle/history",
    "GET /api/v1/bot-battle/<lane>/events",
    "GET /api/v1/bot-battle/<lane>/equity",
    "GET /api/v1/strategy-hospital",
    "GET /api/v1/predictions/<market_id>",
    "POST /api/v1/predictions/<market_id>/vote",
    "GET /api/v1/forecasters",
    "GET /api/v1/forecasters/<name>",
    "GET /api/predictions/shadow",
    "GET /api/predictions/ai-vs-market",
    "GET /api/predictions/news-pulse",
    "POST /api/challenges/create",
    "GET /api/challenges/active",
    "GET /api/challenges/<number>",
    "POST /api/challenges/<number>/vote",
    "GET /api/streaks",
    "GET /api/apex/status",
    "GET /api/apex/fund",
    "GET /api/apex/calls",
    "GET /api/v1/headlines",
    "GET /api/widget/consensus",
    "GET /api/v1/docs",
    "GET /api/openapi-lite.json",
    "GET /api/v1/openapi-lite.json",
    "GET /api/openapi.json",
    "GET /docs",
    "GET /docs/rapidoc-9.3.8.js",
    "GET /embed",
    "GET /embed.js",
    "GET /",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
}


def test_every_private_address_requires_a_key(app):
    routes = {f"{method} {rule.rule}" for rule in app.url_map.iter_rules() for method in rule.methods}
    private_routes = {route for route in routes if _code(app, *route.split()) == "missing_api_key"}
    assert {route for route in routes - private_routes if not route.startswith(("HEAD", "OPTIONS"))} == PUBLIC


def _code(app: Flask, method: str, path: str) -> str | None:
    """The code of the problem that a caller without a key is answered with."""
    return (app.test_client().open(path, method=method).get_json(silent=True) or {}).get("code")
