package b

import a.Base

class Main : Base() {
    fun run() {
        setup()
    }
}
