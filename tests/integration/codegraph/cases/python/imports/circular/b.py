import a
def fb():
    a.fa()
