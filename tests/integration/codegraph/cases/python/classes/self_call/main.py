class Job:
    def run(self):
        self.prepare()

    def prepare(self):
        pass


Job().run()
