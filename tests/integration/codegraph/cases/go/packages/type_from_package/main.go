package main

import "app/models"

func show(u *models.User) {
	u.Name()
}
