class Item {
    fun name() {
    }
}

fun Item.label() {
    this.name()
}

fun main(item: Item) {
    item.label()
}
