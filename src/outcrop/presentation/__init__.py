"""What people are told of a document that was cut, in the same words on every surface."""
