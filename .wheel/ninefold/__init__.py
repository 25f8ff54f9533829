"""The installed service; `ninefold` on the command line says what it can do."""
