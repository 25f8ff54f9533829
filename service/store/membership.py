"""Whether a column holds one of many keys: one parameter for all of them, however many there are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Boolean, ColumnElement, Dialect, String, any_, bindparam, func, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine


class _Keys(TypeDecorator[Sequence[str]]):
    """Texts as one value: an array of PostgreSQL, a JSON array of SQLite."""

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(ARRAY(String()) if dialect.name == "postgresql" else String())

    def process_bind_param(self, value: Sequence[str] | None, dialect: Dialect) -> Any:
        return list(value or ()) if dialect.name == "postgresql" else json.dumps(list(value or ()))


class _IsAmong(FunctionElement[bool]):
    """A column of texts and the keys that it is looked up in."""

    type = Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> _IsAmong:  # noqa: ARG002 - the name is that of SQLAlchemy
        """Itself: SQLite would be asked for `… = 1`, for which it uses no index."""
        return self


@compiles(_IsAmong, "postgresql")
def _in_array(element: _IsAmong, compiler: SQLCompiler, **options: Any) -> str:
    column, keys = element.clauses
    return compiler.process(column == any_(keys), **options)


@compiles(_IsAmong, "sqlite")
def _in_json(element: _IsAmong, compiler: SQLCompiler, **options: Any) -> str:
    column, keys = element.clauses
    listed = func.json_each(keys).table_valued("value")
    return compiler.process(column.in_(select(listed.c.value)), **options)


def is_among(column: ColumnElement[str], keys: Sequence[str]) -> ColumnElement[bool]:
    """Whether a column of texts holds one of the keys; false where there are none."""
    return _IsAmong(column, bindparam("keys", keys, type_=_Keys(), unique=True))
