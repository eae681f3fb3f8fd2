"""What was said or read: threads, participants, turns, statements."""
