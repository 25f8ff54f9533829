"""What a person reads of a message, after a check that Telegram accepts it."""

from __future__ import annotations

from html.parser import HTMLParser

from bot.messages import LIMIT

ALLOWED = {"b", "i", "u", "s", "code", "pre", "a", "blockquote"}

Written = str | list[str]


class TelegramText(HTMLParser):
    """The tags of a message and its text without them; fails for tags that are not closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"{self.open} is never closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def pages_of(written: Written) -> list[str]:
    return [written] if isinstance(written, str) else written


def texts_of(written: Written, limit: int = LIMIT) -> list[str]:
    """The text of each page; fails if Telegram would refuse one for its length, its tags or its links."""
    texts = []
    for page in pages_of(written):
        assert 0 < len(page.encode("utf-16-le")) // 2 <= limit  # an unpaired surrogate cannot be encoded
        page = TelegramText(page)
        for tag, attributes in page.tags:
            assert tag in ALLOWED
            assert not attributes or (tag == "a" and list(attributes) == ["href"])
            assert tag != "a" or str(attributes["href"]).startswith(("http://", "https://"))
        assert page.text.strip()
        texts.append(page.text)
    return texts


def text_of(written: Written) -> str:
    """The text of all pages."""
    return "\n".join(texts_of(written))
