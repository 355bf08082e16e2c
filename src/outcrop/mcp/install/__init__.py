"""Adding the server to clients: by their own commands, or in their settings files."""
