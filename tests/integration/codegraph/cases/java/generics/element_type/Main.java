import java.util.List;

class Item {
    void ship() {
    }
}

class Main {
    void run(List<Item> items) {
        for (var item : items) {
            item.ship();
        }
        items.get(0).ship();
    }
}
