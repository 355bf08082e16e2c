class Handler {
    operator fun invoke(n: Int) {
    }
}

fun main(handler: Handler) {
    handler(1)
}
