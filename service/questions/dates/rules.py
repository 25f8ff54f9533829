"""The ways to write a date, as a table: a pattern of roles and the function that computes its meaning.

An element of a pattern is the role that a token must have, or several roles joined with "|". A name before ":" is the
name of the token for the function; "?" marks an optional element, "!" one that must directly follow the element before
it. Articles, commas and points between the other elements are skipped. The rule that matches most tokens wins; between
equals, the first. The roles are those of `roles`: `part` is end, start, mid, early or late; `near` is this, next or
last.
"""

from __future__ import annotations

from collections.abc import Callable

from service.questions.dates import counted, named
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Named, Today

Meaning = Callable[[Named, Today], DateRange | None]

RULES: tuple[tuple[str, Meaning], ...] = (
    # 2026-12-31, 31.12.2026, 12/31, 12月31日
    ("weekday? iso", named.iso),
    ("weekday? compact", named.iso),
    ("stamp", named.stamp),
    ("weekday? date", named.numeric),
    ("slash", named.slashed),
    ("daymonth dot?", named.dotted),
    ("part? glyphdate year?", named.glyph_date),
    ("glyphdate part", named.glyph_date),
    # December 31, 31 December 2026, November 24-30, the 15th
    ("month day:day|nth dash last_day:day|nth year?", named.month_days),
    ("day:day|nth dash last_day:day|nth month year?", named.month_days),
    ("weekday? month day:day|nth|dayword year?", named.month_day),
    ("weekday? day:day|nth|ordinal|dayword month year?", named.month_day),
    ("month day:day|nth next unit", named.month_day),
    ("day:day|nth month next unit", named.month_day),
    ("by|before|until|lasting|on odd month", named.impossible),
    ("day:nth", named.day_of_month),
    ("day:bareday dot?", named.bare_day),
    ("day:nth|day|ordinal the near unit:monthly", named.day_in_month),
    ("day:day dot the near unit:monthly", named.day_in_month),
    ("day:nth|day|ordinal the unit:monthly near", named.day_in_month),
    ("day:day dot near unit:monthly", named.day_in_month),
    ("day:nth near unit:monthly", named.day_in_month),
    ("day:nth unit:monthly near", named.day_in_month),
    ("day:nth|ordinal the unit:monthly", named.day_in_month),
    ("weekday day:nth|day", named.weekday_and_day),
    # end of December, December 2026, next December, the first week of December
    ("part? month year?", named.month_name),
    ("month monthly part?", named.month_name),
    ("near? unit:monthly month year?", named.month_name),
    ("month part year?", named.month_name),
    ("year month", named.month_name),
    ("last month", named.last_month_name),
    ("month last", named.last_month_name),
    ("near month", named.month_name),
    ("month near:next|last", named.month_name),
    ("which:ordinal|nth week month year?", named.week_of_month),
    # Q1 2027, 2027 Q1, 1Q27, the first quarter of 2027, H1
    ("part? q which:small year?", named.quarter),
    ("part? year q which:small", named.quarter),
    ("part? which:small q year?", named.quarter),
    ("part? which:ordinal|nth quarter year?", named.quarter),
    ("which:small dot quarter year?", named.quarter),
    ("part? h which:small year?", named.half),
    ("part? which:ordinal|nth halfyear year?", named.half),
    # 2027, end of 2027, the year 2027
    ("part? year", named.whole_year),
    ("year unit? part", named.whole_year),
    ("year yearly", named.whole_year),
    ("part? yearly year", named.whole_year),
    # this week, end of next month, next year's end, "close the month above …"
    ("near unit", counted.unit),
    ("part? unit after next", counted.after_next),
    ("weekend after next", counted.after_next),
    ("weekday after next", counted.after_next),
    ("which:ordinal|nth|last member:weekday|weekend|unit|halfyear the|in whole:unit", counted.member_of_unit),
    ("which:ordinal|nth|last member:weekday|weekend|unit whole:unit!", counted.member_of_unit),
    ("whole:unit which:ordinal|nth|last member:weekday|weekend|unit", counted.member_of_unit),
    ("near? unit:monthly day:day quote suffix:word|filler?", named.day_in_month),
    ("unit near!", counted.unit),
    ("part near? unit", counted.unit),
    ("part unit near", counted.unit),
    ("near unit part", counted.unit),
    ("unit part", counted.unit),
    ("within the unit", counted.unit),
    ("closed", counted.closed_unit),
    # EOY, EOY 2027, end of day Friday
    ("eo year?", counted.end_of_unit),
    ("near unit? eo", counted.end_of_unit),
    ("year unit? eo", counted.end_of_unit),
    # today, Friday, next Friday, Friday next week, Friday week, the weekend
    ("rel", counted.relative_day),
    ("near? weekday", counted.weekday),
    ("weekday near unit?", counted.weekday),
    ("near unit weekday", counted.weekday),
    ("weekday unit near", counted.weekday),
    ("weekday week", counted.weekday_week),
    ("weekday in a week", counted.weekday_week),
    ("a week on weekday", counted.weekday_week),
    ("in many:count|numword weekday", counted.count_of_weekdays),
    ("many:count|numword weekday later", counted.count_of_weekdays),
    ("near? weekend", counted.weekend),
    ("part the? near? weekend", counted.weekend),
    ("weekend near", counted.weekend),
    # this time tomorrow, this time next week, tomorrow at this time
    ("sametime on? rel|weekday", counted.same_time),
    ("sametime next unit|weekday", counted.same_time),
    ("rel|weekday in|on? sametime", counted.same_time),
    ("next unit in|on? sametime", counted.same_time),
    # Christmas, Christmas 2027, spring, early summer
    ("near? holiday year?", named.holiday),
    ("holiday next unit", named.holiday),
    ("which:small|ordinal dot? holiday year?", named.sunday_of_advent),
    ("part? holiday week", named.holiday_week),
    ("week holiday!", named.holiday_week),
    ("holiday weekend", named.holiday_weekend),
    ("weekend holiday", named.holiday_weekend),
    ("part? near? season year?", named.season),
    # in three days, in two or three weeks, in a week or two, a week from now, the next 24 hours, two weeks ago
    ("count unit!", counted.duration),
    ("count:count|numword|a dash|or|list many:count|numword unit!", counted.some_units),
    ("in|within|during|by? a? unit! or|and many:count|numword", counted.some_units),
    ("in|within|during few:slash unit!", counted.some_units),
    ("count:count|a unit! later", counted.duration),
    ("a unit! within", counted.duration),
    ("count:count|a unit! ago", counted.duration),
    ("ago count:count|a unit", counted.duration),
    ("in|within|during|by? count:count|a larger:unit and? rest:count smaller:unit", counted.sum_of_durations),
    ("in|within|during|by? count:count|a unit and? a? half:numword", counted.week_and_a_half),
    ("in|within|during? the? next unit and a? half:numword", counted.week_and_a_half),
    ("in|within|during unit and a? half:numword", counted.week_and_a_half),
    ("next count unit", counted.duration),
    ("count:spanned next unit", counted.duration),
    ("last count unit", counted.duration),
    ("in|within|during|by|between a unit", counted.duration),
    ("within unit", counted.duration),
    ("in:in|within|during|above? next units", counted.some_time),
    ("in|within|during|above english next unit", counted.duration),
)
