def work():
    pass


act = lambda: work()
act()
(lambda: None)()
