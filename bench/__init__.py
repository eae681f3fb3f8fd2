"""Benchmarks, each with one command."""
