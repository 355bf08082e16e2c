package cart

func Empty() {}
