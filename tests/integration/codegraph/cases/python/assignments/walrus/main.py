def probe():
    pass


if (check := probe) is not None:
    check()
