package main

type Dog struct{}

func (d *Dog) Bark() {}

func use(a any) {
	dog := a.(*Dog)
	dog.Bark()
	switch pet := a.(type) {
	case *Dog:
		pet.Bark()
	}
}
