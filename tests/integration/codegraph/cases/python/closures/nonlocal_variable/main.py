def outer():
    hook = None

    def install():
        nonlocal hook
        hook = target

    def fire():
        hook()

    install()
    fire()


def target():
    pass


outer()
