"""An authority asked over HTTP: what it signs is kept, and everything else is a failure of the source."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from service.errors import SourceFailed
from service.ledger.roots import Root, sign
from service.ledger.timestamps import fault
from service.market.instants import iso
from service.sources.timestamps import stamp
from tests.authorities import Authority, authority
from tests.processes import free_port

LIMIT_S = 20.0


@pytest.fixture(scope="module")
def tsa(tmp_path_factory) -> Iterator[Authority]:
    with authority(tmp_path_factory.mktemp("authority") / "tsa") as server:
        yield server


@pytest.fixture(scope="module")
def root() -> Root:
    """A root that was signed now."""
    now = iso(int(time.time()))
    return sign(["ab" * 32], day=now[:10], first_seq=1, root_before="", signed_at=now, seed=bytes(32))


def test_the_response_of_an_authority_is_a_timestamp(tsa: Authority, root: Root):
    """Its name is the host alone: the address may hold a password."""
    certificates = tsa.certificates.read_bytes()
    timestamp = stamp(tsa.url.replace("127.0.0.1", "user:password@127.0.0.1"), root, certificates, LIMIT_S)
    assert fault(timestamp, root, certificates) is None
    assert (timestamp.day, timestamp.authority) == (root.day, tsa.url.split("/")[2])


@pytest.mark.parametrize(
    ("failures", "body", "sentence"),
    [
        ([503], None, "it could not be read: HTTPError"),
        *(([], body, "no timestamp") for body in (b"hello", b"\x30\x05\x30\x03\x02\x01\x02")),
        ([], None, "another request"),
        ([], bytes(2**21), "it is larger than 1 MB"),
    ],
    ids=["status", "text", "rejection", "earlier", "large"],
)
def test_another_response_is_a_failure_of_the_source(tsa: Authority, root: Root, failures, body, sentence: str):
    """An earlier response is valid in itself; a request has a number of its server against that."""
    stamp(tsa.url, root, b"", LIMIT_S)
    tsa.failures[:] = failures
    tsa.replies[:] = [] if failures else [(tsa.folder / "reply").read_bytes() if body is None else body]
    with pytest.raises(SourceFailed, match=sentence):
        stamp(tsa.url, root, b"", LIMIT_S)


def test_an_authority_that_is_not_trusted_is_not_kept(tsa: Authority, root: Root, tmp_path):
    """One that is away is a failure of the source."""
    other = Authority(tmp_path / "other").certificates.read_bytes()
    with pytest.raises(SourceFailed, match="signed by no authority that is trusted"):
        stamp(tsa.url, root, other, LIMIT_S)
    with pytest.raises(SourceFailed, match="it could not be read: ConnectionError"):
        stamp(f"http://127.0.0.1:{free_port()}/", root, b"", LIMIT_S)
