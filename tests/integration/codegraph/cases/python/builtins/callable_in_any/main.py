def ok(x):
    return True
any(ok(x) for x in [1])
