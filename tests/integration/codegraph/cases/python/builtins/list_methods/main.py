l = [1]
l.append(2)
l.sort()
{}.get("a")
