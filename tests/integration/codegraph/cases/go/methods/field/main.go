package main

type Log struct{}

func (l *Log) Write() {}

type Service struct {
	log *Log
}

func (s *Service) Serve() {
	s.log.Write()
}
