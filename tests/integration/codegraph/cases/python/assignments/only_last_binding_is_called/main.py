def old():
    pass


def new():
    pass


step = old
step = new
step()
