"""A small language model on this machine, and a tour of the service with it in all six seats: `make demo-models`."""
