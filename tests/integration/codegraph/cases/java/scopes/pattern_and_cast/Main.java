class Dog {
    void bark() {
    }
}

class Main {
    void run(Object o) {
        if (o instanceof Dog d) {
            d.bark();
        }
        ((Dog) o).bark();
    }
}
