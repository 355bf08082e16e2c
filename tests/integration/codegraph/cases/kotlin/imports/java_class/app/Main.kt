package app

import shop.Cart

fun main() {
    val cart = Cart()
    cart.add(1)
}
