def f():
    pass
(lambda: f())()
