def saw():
    pass
