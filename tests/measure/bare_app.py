"""The least a Flask route can do: one body of bytes, nothing else. What the service is compared with."""

from __future__ import annotations

import os

from flask import Flask, Response

app = Flask(__name__)
body = b"{" + b" " * (int(os.environ["BODY_BYTES"]) - 2) + b"}"


@app.get("/document")
def document() -> Response:
    return Response(body, mimetype="application/json")
