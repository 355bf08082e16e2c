class Item {
    fun ship() {
    }
}

fun main(items: List<Item>) {
    for (item in items) {
        item.ship()
    }
    items[0].ship()
}
