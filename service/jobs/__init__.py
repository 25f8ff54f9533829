"""The jobs: what the clock triggers, the engine that runs it, and the table of all of them (`timetable`)."""
