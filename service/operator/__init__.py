"""The operator's commands. They use the database and can run while the service runs."""
