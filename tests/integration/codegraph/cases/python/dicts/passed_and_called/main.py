def f():
    pass
def run(d):
    d["a"]()
run({"a": f})
