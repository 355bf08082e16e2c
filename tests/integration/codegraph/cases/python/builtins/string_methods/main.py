"a,b".split(",")
"x".upper().lower()
