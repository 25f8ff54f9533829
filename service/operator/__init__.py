"""The operator's commands, one file per noun; they work on the database, beside a running service."""
