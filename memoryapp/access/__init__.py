"""Members and roles, agents and keys, capabilities."""
