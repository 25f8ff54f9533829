"""Timestamps by RFC 3161 authorities, over HTTP."""

from __future__ import annotations

from base64 import b64encode

from service.errors import SourceFailed
from service.ledger.roots import Root
from service.ledger.timestamps import Timestamp, authority_of, fault, message
from service.market.instants import iso
from service.sources.sessions import BoundedSession, in_session

MEDIA_TYPE = "application/timestamp-query"
MOST_BYTES = 2**20


def stamp(url: str, root: Root, certificates: bytes, timeout_s: float) -> Timestamp:
    """The timestamp of a root by the authority at `url`; SourceFailed where there is none within `timeout_s` seconds.

    One of the PEM `certificates` must sign for it, if there are any.
    """
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder, decode_timestamp_response

    query = TimestampRequestBuilder().data(message(root)).hash_algorithm(HashAlgorithm.SHA256).build()

    def read(session: BoundedSession) -> bytes:
        response = session.post(url, data=query.as_bytes(), headers={"Content-Type": MEDIA_TYPE})
        response.raise_for_status()
        return response.content

    content = in_session(timeout_s, read, most_bytes=MOST_BYTES, is_json=False)
    try:
        info = decode_timestamp_response(content).tst_info
    except ValueError:
        raise SourceFailed("the response has no timestamp") from None
    if info.nonce != query.nonce:
        raise SourceFailed("the response is to another request")
    stamped_at = iso(int(info.gen_time.timestamp()))
    timestamp = Timestamp(root.day, authority_of(url), stamped_at, b64encode(content).decode())
    if sentence := fault(timestamp, root, certificates):
        raise SourceFailed(sentence)
    return timestamp
