"""The context in the browser: what stands, the block that is made of it, and one entry with all that it said."""
