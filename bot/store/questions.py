"""Questions that are being answered, and payloads behind buttons."""

from __future__ import annotations

import json
import secrets
from itertools import takewhile
from typing import Any, NamedTuple

from bot.store.sqlite_file import SqliteFile

MAX_PER_CHAT = 200  # the newest are kept
KEPT_S = 7 * 86400


class OpenQuestion(NamedTuple):
    """A question without a delivered answer.

    `quoted_id` is the message that asked it in a group, maybe in a `topic`, `waiting_id` the bot's waiting message;
    `asked_at` is a unix second.
    """

    number: int
    user_id: int
    chat_id: int
    topic: int | None
    quoted_id: int | None
    waiting_id: int | None
    question: str
    asked_at: float

    @property
    def key(self) -> str:
        """The idempotency key: under it the service answers and counts the question once."""
        return f"question-{self.number}-{self.asked_at}"


class Questions(SqliteFile):
    """The open questions of all people."""

    def open_question(
        self, user_id: int, chat_id: int, topic: int | None, quoted_id: int | None, question: str, update_id: int
    ) -> OpenQuestion | None:
        """Store a question; None if the same update of Telegram has asked it before."""
        asked_at = self._seconds()
        with self._writing() as db:
            mark = (user_id, "question", f"{update_id} {chat_id}", asked_at)
            if not db.execute("INSERT OR IGNORE INTO sent VALUES (?, ?, ?, ?)", mark).rowcount:
                return None
            row = db.execute(
                "INSERT INTO open_question (user_id, chat_id, topic, quoted, question, asked_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (user_id, chat_id, topic, quoted_id, question, asked_at),
            )
            return OpenQuestion(row.lastrowid or 0, user_id, chat_id, topic, quoted_id, None, question, asked_at)

    def set_waiting(self, number: int, message_id: int) -> None:
        """Store the id of the question's waiting message."""
        self._write("UPDATE open_question SET waiting = ? WHERE number = ?", message_id, number)

    def close_question(self, number: int) -> None:
        """The answer was delivered."""
        self._write("DELETE FROM open_question WHERE number = ?", number)

    def open_questions(self) -> list[OpenQuestion]:
        """Every open question, the oldest first."""
        columns = "number, user_id, chat_id, topic, quoted, waiting, question, asked_at"
        return [OpenQuestion(*row) for row in self._rows(f"SELECT {columns} FROM open_question ORDER BY number")]  # noqa: S608


class Answers(SqliteFile):
    """Payloads by chat and token."""

    def keep(self, chat_id: int, verb: str, payload: dict[str, Any], *, user_id: int | None = None) -> str:
        """Save a payload for seven days; returns its token of twelve characters for `find`.

        The same payload in the same chat keeps its token. `user_id` is the owner, with whose data it is deleted; by
        default the person of the private chat.
        """
        text, now = json.dumps(payload), self._seconds()
        owner = chat_id if user_id is None else user_id
        with self._writing() as db:
            db.execute("DELETE FROM answer WHERE kept_at < ?", (now - KEPT_S,))
            row = db.execute(
                "SELECT token FROM answer WHERE chat_id = ? AND user_id = ? AND verb = ? AND payload = ?",
                (chat_id, owner, verb, text),
            ).fetchone()
            token = row["token"] if row else secrets.token_urlsafe(9)
            db.execute("REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?)", (token, chat_id, owner, verb, text, now))
            db.execute(
                "DELETE FROM answer WHERE chat_id = ? AND token NOT IN"
                " (SELECT token FROM answer WHERE chat_id = ? ORDER BY kept_at DESC, rowid DESC LIMIT ?)",
                (chat_id, chat_id, MAX_PER_CHAT),
            )
        return token

    def find(self, chat_id: int | None, token: str) -> dict[str, Any] | None:
        """The payload of a token in this chat, or in any for a link that somebody shared; None if it has expired."""
        statement = "SELECT payload FROM answer WHERE token = ?1 AND kept_at >= ?2 AND (?3 IS NULL OR chat_id = ?3)"
        row = self._row(statement, token, self._seconds() - KEPT_S, chat_id)
        return json.loads(row["payload"]) if row else None

    def drop_payload(self, chat_id: int, token: str) -> None:
        """Its buttons have expired."""
        self._write("DELETE FROM answer WHERE chat_id = ? AND token = ?", chat_id, token)

    def newest_page(self, chat_id: int, age_s: float = KEPT_S) -> tuple[str, dict[str, Any] | None]:
        """The token and the payload of a chat's last answer or offered questions, at most `age_s` seconds old."""
        row = self._row(
            "SELECT token, payload FROM answer WHERE chat_id = ? AND kept_at >= ?"
            " AND coalesce(json_extract(payload, '$.answer'), json_extract(payload, '$.listed')) IS NOT NULL"
            " ORDER BY kept_at DESC, rowid DESC LIMIT 1",
            chat_id,
            self._seconds() - age_s,
        )
        return (row["token"], json.loads(row["payload"])) if row else ("", None)

    def newest_meaning(self, chat_id: int, age_s: float) -> dict[str, Any] | None:
        """What was last understood in this chat, at most `age_s` seconds old; None if it was made to be forgotten.

        It `follows` another sentence of the newest four, which "both?" means too: one may be offered, then asked.
        """
        rows = self._rows(
            "SELECT coalesce(json_extract(payload, '$.understood'), json_extract(payload, '$.answer.understood'))"
            " AS meaning FROM answer WHERE chat_id = ? AND kept_at >= ? AND meaning IS NOT NULL"
            " ORDER BY kept_at DESC, rowid DESC LIMIT 4",
            chat_id,
            self._seconds() - age_s,
        )
        meanings = [*takewhile(bool, (json.loads(row["meaning"]) for row in rows))]
        sentences = [*dict.fromkeys(meaning["canonical"] for meaning in meanings), None]
        return meanings[0] | {"follows": sentences[1]} if meanings else None
