"""What the commands print: one module per subject or format."""
