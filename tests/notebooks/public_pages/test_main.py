"""The command of the public pages."""

from __future__ import annotations

import socket

from notebooks.public_pages.__main__ import main


def test_a_port_in_use_is_one_sentence(capsys):
    """Nothing is requested then, and the exit code is 2."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["--port", str(port), "--service", "http://127.0.0.1:9"]) == 2
    assert capsys.readouterr().err == f"ninefold: Port {port} is in use. Set VOILA_PORT to another one.\n"
