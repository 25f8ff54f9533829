"""The files of the public pages in memory, each with a compressed copy and an ETag."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class SiteFile:
    """A file as it is sent; `is_final` says that a file of this name never changes."""

    body: bytes
    compressed: bytes
    etag: str
    media_type: str
    is_final: bool


class Site:
    """Files by their names. A file is replaced whole: a reader in another thread sees the old one or the new one."""

    def __init__(self) -> None:
        self._files: dict[str, SiteFile] = {}

    def put(self, name: str, text: str, media_type: str, *, is_final: bool = False) -> None:
        """Add a file or replace it; an unchanged file keeps its ETag and is not compressed again."""
        body = text.encode()
        etag = sha256(body).hexdigest()[:20]
        last = self._files.get(name)
        if last is None or last.etag != etag:
            self._files[name] = SiteFile(body, gzip.compress(body, mtime=0), etag, media_type, is_final)

    def find(self, name: str) -> SiteFile | None:
        """The file with a name, or None."""
        return self._files.get(name)
