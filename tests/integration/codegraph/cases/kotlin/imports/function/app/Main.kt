package app

import tools.saw

fun main() {
    saw()
}
