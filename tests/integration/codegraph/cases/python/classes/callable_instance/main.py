class Adder:
    def __call__(self, n):
        return n


add = Adder()
add(1)
