package main

func first[T any](items []T) T { return items[0] }

func main() {
	first[int](nil)
	first([]string{"a"})
}
