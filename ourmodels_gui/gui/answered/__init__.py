"""The four questions and what fills the memory, always in sight."""
