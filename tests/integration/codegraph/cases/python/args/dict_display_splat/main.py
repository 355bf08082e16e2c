def a():
    pass
def b():
    pass
def run(x, y):
    y()
options = {"x": a, "y": b}
run(**options)
