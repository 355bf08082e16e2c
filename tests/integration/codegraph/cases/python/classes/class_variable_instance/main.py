class Tool:
    def use(self):
        pass
class Box:
    tool = Tool()
    def open(self):
        self.tool.use()
Box().open()
Box.tool.use()
