package main

func main() {
	helper()
}

func helper() {}
