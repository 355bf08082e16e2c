class Animal:
    def eat(self):
        pass


class Dog(Animal):
    pass


Dog().eat()
