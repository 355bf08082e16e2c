def save():
    pass


actions = {"save": save}
for name, action in actions.items():
    action()
