class Log {
  write() {}
}

class Service {
  log = new Log();

  serve() {
    this.log.write();
  }
}
