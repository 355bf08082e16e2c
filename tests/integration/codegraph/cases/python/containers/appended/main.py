def hook():
    pass


hooks = []
hooks.append(hook)
for item in hooks:
    item()
