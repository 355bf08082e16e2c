package main

import "fmt"

func main() {
	names := make([]string, 0)
	names = append(names, "x")
	fmt.Println(len(names))
}
