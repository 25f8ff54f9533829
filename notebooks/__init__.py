"""The workbench: notebooks with panels and frames. Of the service it knows only the client."""
