package main

func main() {
	assist()
}
