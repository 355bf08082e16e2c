from json import dumps as d
d({})
