"""Forms collected over a conversation or by staff: the engine that evaluates them. Not built yet."""
