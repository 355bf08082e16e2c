import b
def fa():
    b.fb()
