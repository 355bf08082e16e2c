package main

type Shape interface {
	Area() float64
}

type Square struct{}

func (s Square) Area() float64 { return 1 }

func measure(s Shape) float64 {
	return s.Area()
}
