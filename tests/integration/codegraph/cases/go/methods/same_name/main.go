package main

type Cat struct{}

func (c Cat) Eat() {}

type Dog struct{}

func (d Dog) Eat() {}

func feed(d Dog) {
	d.Eat()
}
