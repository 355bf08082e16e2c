"""The ranking signals, one file each; `table` lists them with their weights."""
