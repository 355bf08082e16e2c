def run():
    helper()
def helper():
    pass
