"""Learning how search weighs its signals, from questions made of open-source packages."""
