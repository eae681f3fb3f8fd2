"""From sources to candidates to beliefs."""
