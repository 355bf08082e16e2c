HANDLERS = {}
def handler(name):
    def add(fn):
        HANDLERS[name] = fn
        return fn
    return add
@handler("a")
def a():
    pass
HANDLERS["a"]()
