"""Chunks as one web page that needs no other file: `outcrop chunk --format html`."""
