"""The database: one module per noun; every function takes the connection that it uses."""
