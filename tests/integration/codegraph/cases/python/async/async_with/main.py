class R:
    async def __aenter__(self):
        return self
    async def __aexit__(self, *a):
        pass
    def use(self):
        pass
async def go():
    async with R() as r:
        r.use()
