package main

type Car struct{}

func NewCar() (*Car, error) { return &Car{}, nil }

func (c *Car) Start() {}

func main() {
	car, err := NewCar()
	_ = err
	car.Start()
}
