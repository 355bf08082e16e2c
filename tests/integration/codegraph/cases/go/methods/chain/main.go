package main

type Query struct{}

func (q *Query) Where() *Query { return q }
func (q *Query) Run()          {}

func main() {
	q := new(Query)
	q.Where().Where().Run()
}
