"""The arithmetic. Knows no files, no ids and no Qt: SI numbers in, SI numbers out."""
