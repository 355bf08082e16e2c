class Query:
    def where(self):
        return self

    def run(self):
        pass


Query().where().where().run()
