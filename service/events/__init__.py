"""Events: rows of the ledger as integrators read them, by webhook or as a stream, and the rules of their delivery."""
