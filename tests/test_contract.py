"""Whatever is sent, within the OpenAPI document or beside it: no answer outside that document, and no 5xx.

Every case has a paid key of its own, with an answer and a webhook; a part of them name what exists. 1,000 cases with
CI=true, 20,000 in `make soak`, about 200 elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from service.store import keys, notifications, predictions
from service.store.secret import key_secret
from tests.conftest import IN_CI
from tests.jobs.challenges import challenge
from tests.running_service import QUESTION, RunningService, copied, running_service

# Cases of one operation in a row, before the next one's turn: all of them have one in the first 200.
IN_A_ROW = 50 if IN_CI else 16
EXISTING = "what exists"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    ignored_auth,
    unsupported_method,
]


@pytest.fixture(scope="module")
def service(seeded: Path, tmp_path_factory) -> Iterator[RunningService]:
    """A service after its first start, to which every request comes from an address of its own."""
    with running_service(copied(seeded, tmp_path_factory.mktemp("service"))) as running:
        app = running.client.application
        app.wsgi_app = from_many_addresses(app.wsgi_app)
        yield running


@pytest.fixture(scope="module")
def api(service: RunningService):
    """All operations but the event stream, which is open for minutes and has tests of its own.

    A body that is too large is refused as such, whatever else is wrong with it.
    """
    described = schemathesis.openapi.from_wsgi("/api/openapi.json", service.client.application)
    described.config.checks.negative_data_rejection.expected_statuses.append("413")
    return described.exclude(path="/api/v1/events")


class Existing:
    """What exists in the service, as the paths of operations name it, and keys that own a part of it."""

    def __init__(self, service: RunningService) -> None:
        self._runtime = service.runtime
        service.register()
        number = challenge(service)
        answered = service.ask().get_json()
        with self._runtime.database.reading() as db:
            self._answer = predictions.find_prediction(db, answered["id"])
        self._body = answered
        (features,) = service.client.get("/api/v1/features?limit=1").get_json()["rows"]
        self._shared: Mapping[str, Any] = {
            "market_id": f"challenge-{number}",
            "number": str(number),
            "seq": "1",
            "hash": features["hash"],
            "asset": "btc",
            "lane": "trend",
            "key": "macd_slow",
            "name": "momentum",
        }

    def fresh_key(self) -> tuple[str, Mapping[str, Any]]:
        """A key of the paid plan, and the values of paths for its caller."""
        house, now = self._runtime, int(self._runtime.now())
        with house.database.writing() as db:
            key, row = keys.register_key(
                db, key_secret(house.settings), "reader@example.com", now, plan="paid", delegating=True
            )
            caller = f"key:{row.id}"
            answer = replace(self._answer, id=f"{self._answer.id}-{row.id}", author=caller)
            predictions.add_predictions(db, [answer], self._body)
            endpoint = notifications.add_webhook(db, row.id, "https://127.0.0.1/hook", (), (), 0, now)
        return key, {**self._shared, "answer_id": answer.id, "webhook_id": endpoint.id}


def naming_existing(case):
    """The case with a question that can be understood, and a mark that its path shall name what exists."""
    if isinstance(case.body, dict) and "question" in case.body:
        case.body["question"] = QUESTION
    case.path_parameters = dict.fromkeys(case.path_parameters or (), EXISTING)
    return case


def from_many_addresses(inner: Callable) -> Callable:
    numbers = count()

    def wsgi_app(environ: dict, start_response: Callable):
        number = next(numbers)
        environ["REMOTE_ADDR"] = f"10.{number // 65536}.{number // 256 % 256}.{number % 256}"
        return inner(environ, start_response)

    return wsgi_app


@pytest.mark.slow
def test_every_answer_is_one_that_the_document_describes(api, service: RunningService, tries):
    tried, wanted, existing = count(), tries(200, 1000, 20_000), Existing(service)
    statuses: dict[str, set[int]] = defaultdict(set)  # of the answers that were checked, by operation

    def attempt(case) -> None:
        next(tried)
        key, values = existing.fresh_key()
        if EXISTING in (parameters := case.path_parameters or {}).values():
            case.path_parameters = {name: values[name] for name in parameters}
        # A parameter may spell a path of its own, such as head in /api/v1/ledger/{seq}.
        assume(case.formatted_path == case.operation.path or case.formatted_path not in paths)
        # A key may be spent or revoked by the case itself, and only a delegating one has its X-End-User read.
        headers = {"X-API-Key": key, "Accept-Encoding": "identity"}
        answer = case.call_and_validate(headers=headers, checks=CHECKS)
        statuses[case.operation.label].add(answer.status_code)

    operations = [result.ok() for result in api.get_all_operations()]
    paths = {operation.path for operation in operations}
    while next(tried) < wanted:
        for operation in operations:
            sound, unsound = (operation.as_strategy(generation_mode=mode) for mode in GenerationMode)
            cases = given(sound | sound.map(naming_existing) | unsound)(attempt)
            settings(max_examples=IN_A_ROW, deadline=None, suppress_health_check=list(HealthCheck))(cases)()
    assert statuses.keys() == {operation.label for operation in operations}
    assert sum(min(seen) < 400 for seen in statuses.values()) > 0.8 * len(operations)
