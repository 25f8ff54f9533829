"""Groups of kinds of words that several modules treat alike; `vocabulary/keys.toml` explains each kind."""

from __future__ import annotations

# Verbs of movement, words for a side, words before a price that is aimed at, verbs of state.
MOTIONS = {"reach", "break", "exceed", "rise", "fall", "go"}
SIDES = {"up", "down", "above", "below", "ormore", "orless", "between"}
AIMS = {"to", "until", "lasting", "target", "meet"}
STATES = {"stay", "close", "be", "on"}
RELATIONS = MOTIONS | SIDES | AIMS | STATES

# English words for a move without a direction; other words of the kind "go" also mean a rise: "return 10%".
MOVING = {"move", "moves", "moving"}

BULL = {"rise", "up"}
BEAR = {"fall", "down"}

# Names of markets: the assets, the whole crypto market, markets that are not followed.
MARKETS = {"asset", "widely", "other"}
# Words that make a sentence one about the movement of a price.
PREDICATES = (RELATIONS - AIMS - {"be", "on"}) | {"mood", "outperform", "underperform", "versus", "multiple", "record"}
# Words that mark a number as a price.
PRICED = {"money", "times", "percent"}
