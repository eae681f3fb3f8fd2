"""What follows from the answers there are: relevance, computed values, states, completeness. It writes nothing."""
