"""Answers: what was said, read into what is kept, and what rules see of it."""
