"""The operator's commands, one module per noun. They use the database and can run while the service runs."""
