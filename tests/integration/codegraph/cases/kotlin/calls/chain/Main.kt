class Query {
    fun where(): Query = this

    fun run() {
    }
}

fun main() {
    Query().where().where().run()
}
