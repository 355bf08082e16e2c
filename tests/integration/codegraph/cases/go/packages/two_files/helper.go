package main

func assist() {}
