class Main {
    companion object {
        fun create(): Main = Main()
    }

    fun run() {
    }
}

fun main() {
    Main.create().run()
}
