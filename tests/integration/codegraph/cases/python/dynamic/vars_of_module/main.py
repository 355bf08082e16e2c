import lib
getattr(lib, "f")()
