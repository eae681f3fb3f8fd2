"""Tables of the room."""
