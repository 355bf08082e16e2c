package main

type Item struct{}

func (i *Item) Ship() {}

func shipAll(items []*Item, byName map[string]*Item) {
	for _, item := range items {
		item.Ship()
	}
	byName["x"].Ship()
}
