class Log {
  write() {}
}

export const log = new Log();
