"""Charts for strangers as plain files: what `make voila` serves.

One process requests the public documents, without a key, draws each chart once for all visitors and keeps it in memory.
A visitor costs a few files and no kernel.
"""
