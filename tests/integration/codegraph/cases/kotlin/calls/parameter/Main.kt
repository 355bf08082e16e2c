class Log {
    fun write() {
    }
}

fun use(log: Log) {
    log.write()
}
