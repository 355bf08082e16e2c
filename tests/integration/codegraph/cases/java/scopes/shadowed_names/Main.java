class Cat {
    void eat() {
    }
}

class Dog {
    void eat() {
    }
}

class Main {
    void run(Cat[] cats, Dog[] dogs) {
        for (Cat pet : cats) {
            pet.eat();
        }
        for (Dog pet : dogs) {
            pet.eat();
        }
    }
}
