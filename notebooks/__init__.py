"""The workbench: notebooks over panels and frames, which know the service by its client only."""
