package main

type Log struct{}

func NewLog() *Log { return &Log{} }

func (l *Log) Write() {}

var log = NewLog()

func main() {
	log.Write()
}
