"""Whatever is sent, within the OpenAPI document or beside it: no answer outside that document, and no 5xx.

5,000 cases with CI=true, about 200 elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

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

from service.store import keys
from service.store.secret import key_secret
from tests.conftest import IN_CI
from tests.running_service import RunningService, copied, running_service

CASES = 5000 if IN_CI else 200
# Cases of one operation in a row, before the next one's turn: all of them have one in the first 200.
IN_A_ROW = 50 if IN_CI else 16
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
    return schemathesis.openapi.from_wsgi("/api/openapi.json", service.client.application)


def fresh_key(service: RunningService) -> str:
    house = service.runtime
    with house.database.writing() as db:
        key, _ = keys.register(db, key_secret(house.settings), "reader@example.com", house.now(), delegating=True)
    return key


def from_many_addresses(inner: Callable) -> Callable:
    numbers = count()

    def wsgi_app(environ: dict, start_response: Callable):
        number = next(numbers)
        environ["REMOTE_ADDR"] = f"10.{number // 65536}.{number // 256 % 256}.{number % 256}"
        return inner(environ, start_response)

    return wsgi_app


@pytest.mark.slow
def test_every_answer_is_one_that_the_document_describes(api, service: RunningService):
    tried = count()

    def attempt(case) -> None:
        next(tried)
        # A parameter may spell a path of its own, such as head in /api/v1/ledger/{seq}.
        assume(case.formatted_path == case.operation.path or case.formatted_path not in paths)
        # A key may be spent or revoked by the case itself, and only a delegating one has its X-End-User read.
        headers = {"X-API-Key": fresh_key(service), "Accept-Encoding": "identity"}
        case.call_and_validate(headers=headers, checks=CHECKS)

    operations = [result.ok() for result in api.get_all_operations()]
    paths = {operation.path for operation in operations}
    while next(tried) < CASES:
        for operation in operations:
            sound, unsound = (operation.as_strategy(generation_mode=mode) for mode in GenerationMode)
            cases = given(sound | unsound)(attempt)
            settings(max_examples=IN_A_ROW, deadline=None, suppress_health_check=list(HealthCheck))(cases)()
