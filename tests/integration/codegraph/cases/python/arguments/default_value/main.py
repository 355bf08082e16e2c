def quiet():
    pass


def loud():
    pass


def speak(voice=quiet):
    voice()


speak()
speak(loud)
