"""The ways to name a date, as a table: a pattern of roles that words play, and what it means.

An element is the role a token must have, or several with "|"; a name before ":" calls it something else; "?"
makes it optional. Articles, commas and points may stand between. The rule that takes most tokens wins.
"""

from __future__ import annotations

from collections.abc import Callable

from service.forecasting.questions.dates import named
from service.forecasting.questions.dates.named import Named, Today
from service.forecasting.questions.dates.periods import Period

Meaning = Callable[[Named, Today], Period | None]

RULES: tuple[tuple[str, Meaning], ...] = (
    ("iso", named.iso),
    ("date", named.numeric),
    ("slash", named.slashed),
    ("daymonth dot?", named.dotted),
    ("end:end|start|mid|early|late? glyphdate year?", named.glyph_date),
    ("glyphdate part:end|start|mid|early|late", named.glyph_date),
    ("month day:day|nth dash:to|until|dash last_day:day|nth year?", named.month_days),
    ("day:day|nth dash:to|until|dash last_day:day|nth month year?", named.month_days),
    ("weekday? month day:day|nth year?", named.month_day),
    ("weekday? day:day|nth|ordinal month year?", named.month_day),
    ("weekday date", named.numeric),
    ("weekday iso", named.iso),
    ("month day:day|nth next unit", named.month_day),
    ("day:day|nth month next unit", named.month_day),
    ("part:end|start|mid|early|late month year?", named.month_name),
    ("month part:end|start|mid|early|late year?", named.month_name),
    ("which:ordinal|nth week month year?", named.week_of_month),
    ("month year", named.month_name),
    ("year month", named.month_name),
    ("month", named.month_name),
    ("this:this|next month", named.month_name),
    ("month this:this|next", named.month_name),
    ("last month", named.last_month_name),
    ("month last", named.last_month_name),
    ("part:end|start|mid|early|late? q which:small year?", named.quarter),
    ("part:end|start|mid|early|late? year q which:small", named.quarter),
    ("part:end|start|mid|early|late? which:small q year?", named.quarter),
    ("part:end|start|mid|early|late? which:ordinal|nth quarter year?", named.quarter),
    ("which:small dot quarter year?", named.quarter),
    ("h which:small year?", named.half),
    ("which:ordinal|nth halfyear year?", named.half),
    ("part:end|start|mid|early|late this:this|next|last? unit", named.calendar_unit),
    ("part:end|start|mid unit next:next|last", named.calendar_unit),
    ("this:this|next|last unit part:end|start|mid", named.calendar_unit),
    ("unit part:end|start|mid", named.calendar_unit),
    ("this:this|next|last unit", named.calendar_unit),
    ("unit this:this|next|last", named.calendar_unit),
    ("closing unit", named.calendar_unit),
    ("eo year?", named.end_of_unit),
    ("eo weekday", named.weekday),
    ("eo rel", named.relative_day),
    ("eo month day:day|nth year?", named.month_day),
    ("eo day:day|nth month year?", named.month_day),
    ("this:this|next unit? eo", named.end_of_unit),
    ("year unit? eo", named.end_of_unit),
    ("part:end|start|mid|early|late year", named.whole_year),
    ("year unit? part:end|start|mid|early|late", named.whole_year),
    ("year", named.whole_year),
    ("year yearly", named.whole_year),
    ("yearly year", named.whole_year),
    ("rel", named.relative_day),
    ("this:this|next|last? weekday", named.weekday),
    ("weekday next:next|last", named.weekday),
    ("weekday week", named.weekday_after_next),
    ("weekday this:this|next|last unit", named.weekday),
    ("this:this|next|last unit weekday", named.weekday),
    ("weekday unit next:next|last", named.weekday),
    ("this:this|next|last? weekend", named.weekend),
    ("weekend this:this|next|last", named.weekend),
    ("this:this|next? holiday year?", named.holiday),
    ("part:end|start|mid|early|late? this:this|next? season year?", named.season),
    ("count:count unit", named.duration),
    ("count:count|a unit later", named.duration),
    ("count:count|a unit ago", named.duration),
    ("ago count:count|a unit", named.duration),
    ("count:count|a unit from:from|later weekday", named.after_weekday),
    ("next count:count unit", named.duration),
    ("count:count next unit", named.duration),
    ("last count:count unit", named.duration),
    ("in:in|within|during|by a unit", named.duration),
    ("in:in|within|during|above? next units", named.some_time),
    ("in:in|within|during|above english next unit", named.duration),
    ("within the unit", named.calendar_unit),
    ("within unit", named.duration),
    ("by:by|before|until|lasting|on odd month", named.impossible),
    ("day:nth", named.day_of_month),
)
