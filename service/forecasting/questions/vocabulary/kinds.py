"""Kinds of words that several readers treat alike."""

from __future__ import annotations

# Verbs of movement, words for a side, words that point at a price, verbs of being there.
MOTIONS = {"reach", "break", "exceed", "rise", "fall", "go"}
SIDES = {"up", "down", "above", "below", "ormore", "orless", "between"}
AIMS = {"to", "until", "lasting", "target", "meet"}
STATES = {"stay", "close", "be", "on"}
RELATIONS = MOTIONS | SIDES | AIMS | STATES

BULL = {"rise", "up"}
BEAR = {"fall", "down"}

# Names of markets: ours, all of crypto, others.
MARKETS = {"asset", "widely", "other"}
# What makes a sentence one about where a price goes.
PREDICATES = (RELATIONS - AIMS - {"be", "on"}) | {"mood", "outperform", "underperform", "versus", "multiple", "record"}
# What marks a number as a price.
PRICED = {"money", "times", "percent"}
