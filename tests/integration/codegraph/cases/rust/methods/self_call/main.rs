struct Job;

impl Job {
    fn run(&self) {
        self.step();
    }

    fn step(&self) {}
}
