"""Telling clients about the server: their settings files, changed with care."""
