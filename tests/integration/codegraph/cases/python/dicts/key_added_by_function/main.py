def f():
    pass
d = {}
def add(key):
    d[key] = f
add("a")
d["a"]()
