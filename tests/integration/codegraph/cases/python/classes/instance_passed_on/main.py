class Logger:
    def write(self):
        pass


class Service:
    def __init__(self, logger):
        self.logger = logger

    def serve(self):
        self.logger.write()


Service(Logger()).serve()
