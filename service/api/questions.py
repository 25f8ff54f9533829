"""What a caller asks: a text or an earlier reading, beside it the earlier question that the text carries on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from service.api.inputs import Body
from service.documents import adapter
from service.errors import AssumedReading, FieldError, InvalidRequest
from service.forecasting.voters.votes import Understood, UnderstoodText, understood
from service.market.instants import HOUR
from service.questions import Circumstances, Question, read_any
from service.questions.conversation import ContextQuestion
from service.questions.dates.deadline import FARTHEST
from service.questions.intents import read_text
from service.questions.tokens import LONGEST
from service.questions.vocabulary import LANGUAGES
from service.questions.wishes import TextReading

EXAMPLE = "Will Bitcoin rise more than 5% this month?"
# The fields that say what YES means. The others follow from them, from the text or from the present price.
MEANING = ("asset", "other_asset", "comparator", "negated", "level", "upper_level", "days", "in_a_row", "deadline")
Text = Annotated[str, Field(min_length=1, max_length=LONGEST, examples=[EXAMPLE])]
CONTEXT = (
    "the earlier question that the text may carry on, as in “and eth?”: the `id` of one of your answers, or the "
    "`understood` of an answer or of POST /api/v1/oracle/understand; an earlier text that asked for a price or an "
    "alert, as its `canonical`, is one too"
)
SAME_LEVEL = 1e-4
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)  # of a deadline
LANGUAGES_BY_NAME = {language.name: language for language in LANGUAGES}


class UnderstoodBody(BaseModel):
    """The `understood` of an earlier answer as it came, or its `canonical` sentence alone."""

    model_config = ConfigDict(extra="allow", strict=True)

    canonical: Text
    follows: Text | None = None


STRICT = (
    "refuse a reading that rests on an assumption: 422 `assumed_reading`, whose `suggestions` are the reading and the "
    "alternatives"
)
Strict = Annotated[bool | None, Field(description=STRICT)]
Context = Annotated[str | UnderstoodBody | None, Field(description=CONTEXT, examples=["5d8aa6aca803b77b"])]


class TextBody(Body):
    """A question about crypto or markets in plain words, also one that carries an earlier question on."""

    question: Text
    context: Context = None
    strict: Strict = None

    @property
    def content(self) -> QuestionInput:
        return QuestionInput(self.question, context=self.context, is_strict=bool(self.strict))


class QuestionBody(Body):
    """A question about crypto or markets: in plain words, or as it was `understood` before."""

    question: Text | None = None
    understood: UnderstoodBody | None = None
    context: Context = None
    strict: Strict = None

    @property
    def content(self) -> QuestionInput:
        """What is asked: one of `question` and `understood`, which needs no context; else raises InvalidRequest."""
        if self.question is not None and self.understood is None:
            return QuestionInput(self.question, context=self.context, is_strict=bool(self.strict))
        if self.understood is not None and self.question is None and self.context is None:
            fields = self.understood.model_extra or {}
            text, follows, name = self.understood.canonical, self.understood.follows, "understood.canonical"
            return QuestionInput(text, fields, name, is_strict=bool(self.strict), follows=follows)
        detail = (
            "Send either `question`, a text, or `understood`, the document of an earlier answer, without `context`."
        )
        raise InvalidRequest(detail, [FieldError("question", detail)])


@dataclass(frozen=True)
class QuestionInput:
    """A text, with the fields of the document that it came in; `name` is the field that holds the text.

    `context` is the earlier question that it may carry on; `follows` is that of the document.
    """

    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    name: str = "question"
    context: str | UnderstoodBody | None = None
    is_strict: bool = False
    follows: str | None = None

    def refusal(self, refusal: InvalidRequest) -> InvalidRequest:
        errors = [replace(error, field=self.name) for error in refusal.errors]
        return type(refusal)(refusal.detail, errors, refusal.suggestions)

    def require_certainty(self, meaning: UnderstoodText) -> None:
        """Raise AssumedReading for a strict caller if the reading rests on an assumption."""
        if not self.is_strict or meaning.certainty == "sure":
            return
        readings = (meaning.canonical, *(choice.question for choice in meaning.alternatives))
        detail = (
            f"The reading assumes: {', '.join(meaning.assumed)}. Ask one of the suggestions; the first is the reading."
        )
        raise AssumedReading(detail, [FieldError(self.name, detail, "assumed")], readings)

    def require_agreement(self, question: Question) -> None:
        """Raise InvalidRequest for each field that says something else than the text."""
        if not self.fields:
            return
        document = adapter(Understood).dump_python(understood(question), mode="json")
        faults = [
            FieldError(f"understood.{name}", "does not agree with `canonical`; send the document as it came")
            for name in MEANING
            if name in self.fields and self.fields[name] != document[name]
        ]
        if faults:
            raise InvalidRequest("The fields of `understood` do not agree with its sentence.", faults)


class EarlierReading(BaseModel):
    """What it takes to read a question as it was read before: its sentence, and where and when it was asked."""

    canonical: Text
    follows: Text | None = None
    language: str | None = None
    asset: str | None = None
    spot: float | None = Field(None, gt=0, allow_inf_nan=False)
    level_pct: float | None = Field(None, gt=-100, le=1e6, allow_inf_nan=False)
    deadline: AwareDatetime | None = Field(None, ge=EARLIEST)
    horizon_hours: float | None = Field(None, gt=0, le=FARTHEST.total_seconds() / HOUR, allow_inf_nan=False)

    @classmethod
    def of(cls, reading: UnderstoodBody | Understood) -> EarlierReading:
        """The same of an earlier answer, or of what a caller sent; InvalidRequest where that is no reading."""
        try:
            return cls.model_validate(vars(reading) if isinstance(reading, Understood) else reading.model_dump())
        except ValidationError as error:
            raise invalid_context("Send `understood` as it came.") from error

    def recall(self, circumstances: Circumstances) -> ContextQuestion:
        """The question as it was read when it was asked; its deadline may have passed."""
        now, spots = circumstances.now, dict(circumstances.spots)
        if self.deadline is not None and self.horizon_hours is not None:
            now = min(now, self.deadline - timedelta(hours=self.horizon_hours))
        if self.asset in spots and self.spot is not None:
            spots[self.asset] = self.spot
        try:
            earlier = replace(circumstances, now=now, spots=spots)
            reading = read_text(self.canonical, earlier)
            question = (reading.meaning or read_any(_question_of(reading, self.canonical), earlier)).question
        except InvalidRequest as refusal:
            raise invalid_context(refusal.detail) from refusal
        if self.level_pct is not None and question.level is not None:
            level = question.spot * (1 + self.level_pct / 100)  # the size counts where it led to the question's level
            if abs(question.level / level - 1) < SAME_LEVEL:
                question = replace(question, level_pct=self.level_pct)
        if reading.intent == "alert":
            return ContextQuestion(replace(question, level_pct=reading.level_pct), is_alert=True)
        language, before = LANGUAGES_BY_NAME.get(self.language or ""), self._before(earlier)
        is_price = reading.intent == "price"
        return ContextQuestion(
            question, language, is_price=is_price, before=before, amount=reading.amount, currency=reading.currency
        )

    def _before(self, circumstances: Circumstances) -> Question | None:
        """The question that this one followed; None if there is none that can still be read."""
        with suppress(InvalidRequest):
            question = read_any(self.follows, circumstances).question if self.follows else None
            return question if question and question.comparator not in ("open", "topic") else None
        return None


def invalid_context(detail: str) -> InvalidRequest:
    return InvalidRequest(f"The earlier question in `context` is not valid: {detail}", [FieldError("context", detail)])


def _question_of(reading: TextReading, text: str) -> str:
    """The question of an earlier text: whether the level of an alert is reached, the price asked for, or itself."""
    if reading.intent not in ("alert", "price") or reading.asset is None:
        return text
    if reading.level is not None and reading.side is not None:
        return f"Will {reading.asset} trade at or {reading.side} {reading.level:.10g} USD at any time?"
    if reading.level_pct is not None and reading.side is not None:
        move = "rise" if reading.side == "above" else "fall"
        return f"Will {reading.asset} {move} {abs(reading.level_pct):g}% at any time?"
    return f"{reading.asset} price"
