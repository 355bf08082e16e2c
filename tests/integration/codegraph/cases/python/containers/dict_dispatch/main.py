def start():
    pass


def stop():
    pass


table = {"start": start, "stop": stop}
key = "stop"
table["start"]()
table[key]()
