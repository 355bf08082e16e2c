import java.util.List;

class Item {
    void ship() {
    }
}

class Main {
    void run(List<Item> items) {
        items.forEach(item -> item.ship());
    }
}
