class Main {
    void run(Log first, Log... more) {
        first.write();
        more[0].flush();
    }
}

class Log {
    void write() {
    }

    void flush() {
    }
}
