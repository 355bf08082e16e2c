interface Log {
  write(text: string): void;
}

function use(log: Log, other?: Log): void {
  log.write("a");
  other?.write("b");
}
