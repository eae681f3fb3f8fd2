"""What the user told us to keep in mind: a few standing entries, rendered for every prompt."""
