"""The track record's book: rows that hold each other's hashes, a signed root for each day, and how both are checked.

It needs neither the service nor its database nor a network, so that anybody can check what he was given.
"""
