class Item {
    void ship() {
    }
}

record Order(Item item) {
}

class Main {
    void run(Order order) {
        order.item().ship();
    }
}
