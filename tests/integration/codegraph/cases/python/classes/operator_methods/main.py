class Vector:
    def __add__(self, other):
        return self

    def length(self):
        return 0


(Vector() + Vector()).length()
