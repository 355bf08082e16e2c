package main

type Log struct{}

func (l *Log) Write() {}

func main() {
	log := &Log{}
	func() {
		log.Write()
	}()
}
