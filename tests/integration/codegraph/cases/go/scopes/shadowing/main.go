package main

type Cat struct{}

func (c Cat) Eat() {}

type Dog struct{}

func (d Dog) Eat() {}

func main() {
	pet := Cat{}
	if true {
		pet := Dog{}
		pet.Eat()
	}
	pet.Eat()
}
