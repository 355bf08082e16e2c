class Visitor:
    def visit(self, node):
        handler = getattr(self, "visit_" + node, self.generic)
        handler()

    def visit_name(self):
        pass

    def visit_call(self):
        pass

    def generic(self):
        pass


Visitor().visit("name")
