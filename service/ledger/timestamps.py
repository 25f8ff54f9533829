"""RFC 3161 timestamps of roots: an authority outside signs that a root was there at an instant."""

from __future__ import annotations

import hashlib
from base64 import b64decode
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509

from service.ledger.chain import line
from service.ledger.roots import Root

# How long before and after the signature of its root a timestamp may be: clocks differ, and authorities fail.
EARLIEST_S, LATEST_S = -3_600, 86_400


@dataclass(frozen=True)
class Timestamp:
    """The response of an `authority`, by its host, to the root of a day: `token` in base64, and the time it states."""

    day: str
    authority: str
    stamped_at: str
    token: str


def authority_of(url: str) -> str:
    """The public name of the authority at an address, which may hold a password: its host."""
    return urlsplit(url).netloc.rpartition("@")[2]


def message(root: Root) -> bytes:
    """What is timestamped: the line of the root in an export, without its end."""
    return line("root", vars(root)).encode()


def read_certificates(file: str | Path) -> bytes:
    """The PEM of certificates in a file. Raises OSError, and ValueError where it has none."""
    pem = Path(file).read_bytes()
    x509.load_pem_x509_certificates(pem)
    return pem


def fault(timestamp: Timestamp, root: Root, certificates: bytes = b"") -> str | None:
    """Why this is no timestamp of the root, as a sentence; None where it is one.

    `certificates` are the PEM of the authorities that are trusted; where it is empty the authority is not checked.
    """
    # Imported lazily, because few installations have timestamps.
    from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

    subject = f"The timestamp of the root of {root.day} by {timestamp.authority}"
    digest, signed_at = hashlib.sha256(message(root)).digest(), datetime.fromisoformat(root.signed_at)
    try:
        response = decode_timestamp_response(b64decode(timestamp.token, validate=True))
        imprint, at = response.tst_info.message_imprint.message, response.tst_info.gen_time
    except ValueError:
        return f"{subject} is damaged."
    if imprint != digest:
        return f"{subject} is over another root: the root or its rows were changed since."
    if at.replace(microsecond=0) != datetime.fromisoformat(timestamp.stamped_at):
        return f"{subject} states another time than {timestamp.stamped_at}."
    if not EARLIEST_S <= (at - signed_at).total_seconds() <= LATEST_S:
        return f"{subject} is stale: it is of {timestamp.stamped_at}, and the root was signed at {root.signed_at}."
    if certificates:
        verifier = VerifierBuilder(roots=x509.load_pem_x509_certificates(certificates)).build()
        try:
            verifier.verify(response, digest)
        except VerificationError:
            return f"{subject} is signed by no authority that is trusted."
        except ValueError:  # in what no signature covers
            return f"{subject} is damaged."
    return None
