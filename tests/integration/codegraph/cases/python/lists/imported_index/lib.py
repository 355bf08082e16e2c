index = 1
