package main

type Car struct{}

func (c Car) Start() {}

func main() {
	car := Car{}
	car.Start()
	other := &Car{}
	other.Start()
	var third Car
	third.Start()
}
