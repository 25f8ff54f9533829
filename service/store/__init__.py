"""The database: one file per noun, every function takes the connection it works in."""
