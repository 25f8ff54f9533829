"""A verifier written from the protocol in /api/v1/ledger/vectors alone, with nothing of the service: FILE."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def tree(leaves: list[bytes]) -> bytes:
    """The tree of RFC 6962."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + tree(leaves[:half]) + tree(leaves[half:])).digest()


def check_signature(fields: dict[str, Any], key: str, signature: str) -> None:
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), rfc8785.dumps(fields))


def without(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def verify(lines: list[str]) -> str:
    """A sentence about a valid ledger; raises an error for any other."""
    rows: list[dict[str, Any]] = []
    seal: dict[str, Any] | None = None
    recorded_at, handovers, root_lines = "", [], {}
    for line in lines:
        content = json.loads(line)
        assert rfc8785.dumps(content).decode() == line
        if content.pop("type") == "row":
            assert seal is None
            assert content["form"] == "rfc8785"
            assert content["seq"] == len(rows) + 1
            assert content["hash"] == hashlib.sha256(rfc8785.dumps(without(content, "hash"))).hexdigest()
            assert content["previous"] == (rows[-1]["hash"] if rows else "0" * 64)
            body = content["body"]
            is_rewind = content["kind"] == "correction" and body.get("rewound_to") == content["recorded_at"]
            assert is_rewind or content["recorded_at"] >= recorded_at
            recorded_at = content["recorded_at"]
            if content["kind"] == "handover":
                fields = {"key_before": body["key_before"], "key": body["key"], "previous": content["previous"]}
                check_signature(fields, body["key_before"], body["signature"])
                handovers.append((content["seq"], body["key_before"], body["key"]))
            rows.append(content)
            continue
        if "token" in content:  # its signature is a matter for openssl
            assert hashlib.sha256(root_lines[content["day"]].encode()).digest() in base64.b64decode(content["token"])
            continue
        root_lines[content["day"]] = line
        first, last = content["first_seq"], content["last_seq"]
        assert first == (seal["last_seq"] if seal else 0) + 1
        assert content["previous"] == (seal["root"] if seal else "")
        hashes = [row["hash"] for row in rows[first - 1 : last]]
        assert len(hashes) == last - first + 1
        assert (tree([bytes.fromhex(hash) for hash in hashes]).hex(), hashes[-1]) == (content["root"], content["head"])
        check_signature(without(content, "key", "signature"), content["key"], content["signature"])
        if seal:
            signer = seal["key"]
            for seq, before, after in handovers:
                signer = after if seal["last_seq"] < seq <= last and before == signer else signer
            assert content["key"] == signer
        seal = content
    return f"{len(rows)} rows, sealed up to {seal['last_seq'] if seal else 0}"


if __name__ == "__main__":
    print(verify(Path(sys.argv[1]).read_text(encoding="utf-8").split("\n")[:-1]))
