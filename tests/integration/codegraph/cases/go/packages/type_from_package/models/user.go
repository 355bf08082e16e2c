package models

type User struct{}

func (u *User) Name() string { return "" }
