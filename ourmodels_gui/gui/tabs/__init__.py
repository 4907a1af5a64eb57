"""The tabs that tell of one machine and one model."""
