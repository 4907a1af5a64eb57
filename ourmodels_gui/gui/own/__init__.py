"""The user's own machines, models and compositions."""
