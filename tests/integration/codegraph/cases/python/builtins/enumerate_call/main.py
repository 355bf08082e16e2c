def f():
    pass
for i, fn in enumerate([f]):
    fn()
