package main

type Base struct{}

func (b *Base) Setup() {}

type Child struct {
	Base
}

func (c *Child) Run() {
	c.Setup()
	c.Base.Setup()
}
