package main

import "example.com/shop/cart"

func main() {
	c := cart.New()
	c.Add()
}
