class Job {
  run(): void {
    this.step();
  }

  private step(): void {}
}
