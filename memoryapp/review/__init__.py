"""Cases that wait for a person, and their decisions."""
