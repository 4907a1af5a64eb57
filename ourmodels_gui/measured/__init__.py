"""Published measurements, what they say of the ceilings, and how to read new ones.

Nothing here changes a ceiling: a measured run is set beside it.
"""
