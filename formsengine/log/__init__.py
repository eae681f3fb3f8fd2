"""The log of a response: commits of events that nothing changes, and a cursor for each field that undo moves."""
