package app

import tools.saw as cut

fun main() {
    cut()
}
