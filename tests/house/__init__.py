"""Tests of the running product as a whole."""
