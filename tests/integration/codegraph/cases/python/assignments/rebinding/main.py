def old():
    pass


def new():
    pass


step = old
step()
step = new
step()
