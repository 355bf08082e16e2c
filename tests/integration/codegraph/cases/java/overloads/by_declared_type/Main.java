class Cat {
}

class Dog {
}

class Main {
    void feed(Cat c) {
    }

    void feed(Dog d) {
    }

    void run(Dog dog) {
        feed(dog);
    }
}
