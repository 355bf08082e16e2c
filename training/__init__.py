"""Learning the models that Outcrop ships."""
