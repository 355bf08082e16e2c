class Log {
    fun write() {
    }
}

class Main(private val log: Log) {
    fun run() {
        log.write()
        this.log.write()
    }
}
