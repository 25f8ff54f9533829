"""The web: one file per resource, views of a few lines, and the contract stacked above them."""

from __future__ import annotations

from flask import Flask

from service.api import answering, auth, charging, docs, encoding, errors, headers, metrics, open_streams, snapshots
from service.api.answers import answers
from service.api.apex import apex
from service.api.application import Application
from service.api.battle import battle
from service.api.candles import candles, prices
from service.api.challenges import challenges
from service.api.embed import embed, widget
from service.api.event_stream import event_stream
from service.api.features import features
from service.api.forecasters import forecasters
from service.api.forecasts import forecasts
from service.api.health import health
from service.api.hospital import hospital
from service.api.inputs import MAX_BODY_BYTES
from service.api.keys import keys
from service.api.leaderboard import leaderboard
from service.api.ledger import ledger
from service.api.news import news
from service.api.oracle import oracle
from service.api.predictions import predictions
from service.api.services import Services
from service.api.streaks import streaks
from service.api.webhooks import webhooks

BLUEPRINTS = (
    oracle,
    answers,
    prices,
    candles,
    forecasts,
    predictions,
    features,
    forecasters,
    challenges,
    leaderboard,
    battle,
    hospital,
    streaks,
    apex,
    news,
    widget,
    embed,
    ledger,
    event_stream,
    keys,
    webhooks,
    docs.docs,
    health,
)


def create_app(services: Services) -> Flask:
    """The WSGI application over `services`; it reads nothing else, neither environment nor files of data."""
    app = Application(__name__, static_folder=None)
    app.url_map.merge_slashes = False  # a redirect would be an HTML page under /api
    # One byte more than allowed: werkzeug cuts a chunked body off here without a word.
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES + 1
    app.extensions["ninefold"] = services
    auth.trust_proxies(app, services.settings.trusted_proxies)
    for part in (metrics, headers, encoding, errors, charging, snapshots, answering, open_streams):
        part.register(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    return app
