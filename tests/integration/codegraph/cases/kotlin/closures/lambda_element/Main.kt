class Item {
    fun ship() {
    }
}

fun main(items: List<Item>, one: Item) {
    items.forEach { it.ship() }
    items.map { item -> item.ship() }
    one.let { it.ship() }
}
