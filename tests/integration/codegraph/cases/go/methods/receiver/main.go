package main

type Job struct{}

func (j *Job) Run() {
	j.step()
}

func (j *Job) step() {}
