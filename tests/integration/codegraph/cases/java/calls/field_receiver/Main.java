class Main {
    private final Log log = new Log();

    void run() {
        log.write();
        this.log.write();
    }
}

class Log {
    void write() {
    }
}
