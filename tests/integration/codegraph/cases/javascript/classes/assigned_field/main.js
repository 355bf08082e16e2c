class Log {
  write() {}
}

class Service {
  constructor() {
    this.log = new Log();
  }

  serve() {
    this.log.write();
  }
}
