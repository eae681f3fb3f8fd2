"""The pages of the room: the declared types, and proposals to change them."""
