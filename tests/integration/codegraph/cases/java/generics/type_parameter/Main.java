class Box<T> {
    T value;

    T get() {
        return value;
    }
}

class Item {
    void ship() {
    }
}

class Main {
    void run(Box<Item> box) {
        box.get().ship();
        box.value.ship();
    }
}
