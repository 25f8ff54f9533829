"""Timestamps by RFC 3161 authorities, over HTTP."""

from __future__ import annotations

import time
from base64 import b64encode

import requests

from service.errors import SourceFailed
from service.ledger.roots import Root
from service.ledger.timestamps import Timestamp, authority_of, fault, message
from service.market.instants import iso
from service.sources.sessions import TOO_LATE, BoundedSession, in_time

MEDIA_TYPE = "application/timestamp-query"
MOST_BYTES = 2**16


def stamp(url: str, root: Root, certificates: bytes, timeout_s: float) -> Timestamp:
    """The timestamp of a root by the authority at `url`; SourceFailed where there is none within `timeout_s` seconds.

    One of the PEM `certificates` must sign for it, if there are any.
    """
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder, decode_timestamp_response

    query = TimestampRequestBuilder().data(message(root)).hash_algorithm(HashAlgorithm.SHA256).build()
    try:
        content = in_time(timeout_s, lambda: _post(url, query.as_bytes(), time.monotonic() + timeout_s))
        info = decode_timestamp_response(content).tst_info
    except (TimeoutError, requests.exceptions.Timeout):
        raise SourceFailed(TOO_LATE) from None
    except requests.RequestException as error:
        raise SourceFailed(f"no response: {type(error).__name__}") from None
    except ValueError:
        raise SourceFailed("the response has no timestamp") from None
    if info.nonce != query.nonce:
        raise SourceFailed("the response is to another request")
    stamped_at = iso(int(info.gen_time.timestamp()))
    timestamp = Timestamp(root.day, authority_of(url), stamped_at, b64encode(content).decode())
    if sentence := fault(timestamp, root, certificates):
        raise SourceFailed(sentence)
    return timestamp


def _post(url: str, query: bytes, deadline: float) -> bytes:
    with BoundedSession(deadline) as session:
        session.most_bytes, session.is_json = MOST_BYTES, False
        response = session.post(url, data=query, headers={"Content-Type": MEDIA_TYPE})
        response.raise_for_status()
        return response.content
