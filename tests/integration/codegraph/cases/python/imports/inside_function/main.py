def late():
    from helper import assist

    assist()


late()
