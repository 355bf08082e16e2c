def top():
    pass
