import mod
mod.A().go()
mod.instance.go()
