"""What a caller asks: a text, or the `understood` document of an earlier answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from service.api.inputs import Body
from service.errors import FieldError, InvalidRequest
from service.forecasting.voters.votes import Understood, understood
from service.questions.clean import LONGEST
from service.questions.question import Question

EXAMPLE = "Will Bitcoin rise more than 5% this month?"
UNDERSTOOD = TypeAdapter(Understood)
# The fields that say what YES means. The others follow from them, from the text or from the present price.
MEANING = (*("asset", "other_asset", "comparator", "negated", "level", "upper_level", "days", "in_a_row", "deadline"),)
Text = Annotated[str, Field(min_length=1, max_length=LONGEST, examples=[EXAMPLE])]


class UnderstoodBody(BaseModel):
    """The `understood` of an earlier answer as it came, or its `canonical` sentence alone."""

    model_config = ConfigDict(extra="allow", strict=True)

    canonical: Text


class TextBody(Body):
    """A question about crypto or markets in plain words."""

    question: Text


class QuestionBody(Body):
    """A question about crypto or markets: in plain words, or as it was `understood` before."""

    question: Text | None = None
    understood: UnderstoodBody | None = None

    @property
    def content(self) -> QuestionInput:
        """What is asked; raises InvalidRequest unless exactly one of the two fields is there."""
        if self.question is not None and self.understood is None:
            return QuestionInput(self.question)
        if self.understood is not None and self.question is None:
            return QuestionInput(self.understood.canonical, self.understood.model_extra or {}, "understood.canonical")
        detail = "Send either `question`, a text, or `understood`, the document of an earlier answer."
        raise InvalidRequest(detail, [FieldError("question", detail)])


@dataclass(frozen=True)
class QuestionInput:
    """A text, with the fields of the document that it came in; `name` is the field that holds the text."""

    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    name: str = "question"

    def refusal(self, refusal: InvalidRequest) -> InvalidRequest:
        """The refusal of the text, with the name of the field that holds it."""
        errors = [FieldError(self.name, error.message) for error in refusal.errors]
        return type(refusal)(refusal.detail, errors, refusal.suggestions)

    def require_agreement(self, question: Question) -> None:
        """Raise InvalidRequest for each field that says something else than the text."""
        if not self.fields:
            return
        published = UNDERSTOOD.dump_python(understood(question), mode="json")
        faults = [
            FieldError(f"understood.{name}", "does not agree with `canonical`; send the document as it came")
            for name in MEANING
            if name in self.fields and self.fields[name] != published[name]
        ]
        if faults:
            raise InvalidRequest("The fields of `understood` do not agree with its sentence.", faults)
