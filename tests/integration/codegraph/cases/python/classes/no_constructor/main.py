class Empty:
    def work(self):
        pass


Empty().work()
