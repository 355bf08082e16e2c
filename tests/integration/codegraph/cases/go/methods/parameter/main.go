package main

type Log struct{}

func (l *Log) Write() {}

func use(first, second *Log, more ...Log) {
	first.Write()
	second.Write()
	more[0].Write()
}
