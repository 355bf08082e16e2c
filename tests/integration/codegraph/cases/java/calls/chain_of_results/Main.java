class Main {
    void run(Shop shop) {
        shop.cart().total();
    }
}

class Shop {
    Cart cart() {
        return null;
    }
}

class Cart {
    int total() {
        return 0;
    }
}
