def go():
    from mod import f
    f()
go()
