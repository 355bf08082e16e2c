def f():
    pass
def table():
    return {"a": f}
table()["a"]()
