struct Log;

impl Log {
    fn write(&self) {}
}

struct Service {
    log: Log,
}

impl Service {
    fn serve(&self) {
        self.log.write();
    }
}
