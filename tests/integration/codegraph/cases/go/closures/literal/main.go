package main

func work() {}

func main() {
	run := func() {
		work()
	}
	run()
}
