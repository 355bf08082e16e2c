class Job {
  run() {
    this.step();
  }

  step() {}
}

new Job().run();
