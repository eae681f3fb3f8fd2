"""The timeline in the browser: what happened, one episode, and what a node took part in."""
