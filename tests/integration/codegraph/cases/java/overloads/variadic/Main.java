class Main {
    void log(String format, Object... args) {
    }

    void log() {
    }

    void run() {
        log("a", 1, 2);
    }
}
