class Worker:
    def work(self):
        self.step()
    def step(self):
        pass
def run(job):
    job()
run(Worker().work)
