import lib
raise lib.Oops()
