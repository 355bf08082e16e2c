def target(one, two):
    two()
def one():
    pass
def two():
    pass
def wrapper(**kw):
    target(**kw)
wrapper(one=one, two=two)
