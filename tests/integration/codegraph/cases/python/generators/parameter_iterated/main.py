class It:
    def __iter__(self):
        return self
    def __next__(self):
        return 1
def run(it):
    for x in it:
        pass
run(It())
