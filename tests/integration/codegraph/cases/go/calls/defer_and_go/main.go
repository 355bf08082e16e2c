package main

func open()  {}
func close_() {}

func main() {
	go open()
	defer close_()
}
