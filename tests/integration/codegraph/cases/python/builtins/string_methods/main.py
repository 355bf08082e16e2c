name = "a b"
parts = name.split()
"-".join(parts)
