def work():
    pass


first = work
second = first
second()
