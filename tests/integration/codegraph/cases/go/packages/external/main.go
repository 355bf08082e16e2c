package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

func main() {
	http.ListenAndServe(":80", nil)
	gin.Default()
}
