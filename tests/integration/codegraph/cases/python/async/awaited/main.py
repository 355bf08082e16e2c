import asyncio
class C:
    async def load(self):
        return self
    def go(self):
        pass
async def main_():
    c = await C().load()
    c.go()
asyncio.run(main_())
