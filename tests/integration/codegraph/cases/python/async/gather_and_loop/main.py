import asyncio
async def one():
    two()
def two():
    pass
async def all_():
    await asyncio.gather(one())
    async for x in gen():
        x()
async def gen():
    yield two
asyncio.run(all_())
