class Log {
  write(): void {}
}

class Service {
  private readonly log: Log = new Log();

  serve(): void {
    this.log.write();
  }
}
