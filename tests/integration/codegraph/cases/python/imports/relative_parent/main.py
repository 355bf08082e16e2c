import app.web.views

app.web.views.show()
