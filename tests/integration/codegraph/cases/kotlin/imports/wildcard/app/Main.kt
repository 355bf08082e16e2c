package app

import tools.*

fun main() {
    Hammer().hit()
}
