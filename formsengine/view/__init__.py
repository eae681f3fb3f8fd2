"""What a person or an agent reads of a response: what to ask now, why, and what changed. Reading writes nothing."""
