"""A form being written: edits of its stored data, each of which can be taken back, and a trial of what it asks."""
