"""An RFC 3161 authority that OpenSSL makes, answering over HTTP on this machine."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.conftest import absent

CONFIGURATION = """
[tsa]
default_tsa = authority
[authority]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/signer.pem
signer_key = {folder}/signer.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
[signer]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
"""


@dataclass
class Authority:
    """An authority with its files in `folder`; `failures` are the statuses of its next responses."""

    folder: Path
    failures: list[int] = field(default_factory=list)
    replies: list[bytes] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        if not shutil.which("openssl"):
            absent("no openssl")
        self.folder.mkdir()
        (self.folder / "cnf").write_text(CONFIGURATION.format(folder=self.folder))
        (self.folder / "serial").write_text("01\n")
        new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -config cnf"
        self.openssl(f"{new} -subj /CN=Root -extensions ca -keyout ca.key -out ca.pem")
        self.openssl(
            f"{new} -subj /CN=Signer -extensions signer -CA ca.pem -CAkey ca.key -keyout signer.key -out signer.pem"
        )

    @property
    def certificates(self) -> Path:
        return self.folder / "ca.pem"

    def openssl(self, words: str) -> str:
        """What a command of OpenSSL prints in the folder of the authority."""
        done = subprocess.run(
            ["openssl", *words.split()], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def reply(self, query: bytes) -> bytes:
        """The response to a query, as OpenSSL signs it now, or the one that was put into `replies`."""
        if self.replies:
            return self.replies.pop(0)
        (self.folder / "query").write_bytes(query)
        self.openssl("ts -reply -config cnf -queryfile query -out reply")
        return (self.folder / "reply").read_bytes()


@contextmanager
def authority(folder: Path) -> Iterator[Authority]:
    """An authority that listens at its `url`."""
    signer = Authority(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.headers["Content-Type"] == "application/timestamp-query"
            status, body = (signer.failures.pop(0), b"") if signer.failures else (200, signer.reply(query))
            self.send_response(status)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        signer.url = f"http://127.0.0.1:{server.server_address[1]}/tsr"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield signer
        server.shutdown()
