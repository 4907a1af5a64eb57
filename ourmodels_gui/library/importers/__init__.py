"""A model file of the user's -> ModelRecord and a review of what was read, inferred and missing."""
