"""The signed ledger of the track record: a chain of hashed rows, a signed root for each day, and their verification.

It depends neither on the service nor on its database nor on a network, so anyone can verify an export.
"""
