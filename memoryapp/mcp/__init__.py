"""The tool server: every room's tools over MCP, by HTTP at /mcp and over stdio, on the endpoints of the REST door."""
