package main

type Base struct{}

func (b *Base) Setup() {}

type Child struct {
	*Base
}

func run(c Child) {
	c.Setup()
}
