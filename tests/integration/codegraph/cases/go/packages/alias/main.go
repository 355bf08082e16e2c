package main

import basket "example.com/shop/cart"

func main() {
	basket.Empty()
}
