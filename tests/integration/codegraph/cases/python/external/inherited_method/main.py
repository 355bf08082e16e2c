from threading import Thread


class Worker(Thread):
    def go(self):
        self.start()


Worker().go()
