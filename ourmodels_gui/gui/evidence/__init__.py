"""The tab of measurements beside ceilings."""
