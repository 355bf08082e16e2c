"""Web routes of the frameworks that are known, each in the smallest program."""

from __future__ import annotations

import pytest

from outcrop.codegraph import build
from outcrop.model.edge import EdgeKind
from outcrop.model.node import NodeKind

PROGRAMS = {
    "fastapi": (
        {
            "main.py": (
                "from fastapi import APIRouter\n"
                'router = APIRouter(prefix="/items")\n'
                '@router.get("/{item_id}")\n'
                "async def read(item_id: int):\n    return item_id\n"
                '@router.post("")\n'
                "async def create():\n    return 1\n"
            )
        },
        {("GET", "/items/{item_id}", "main.read"), ("POST", "/items", "main.create")},
    ),
    "flask": (
        {
            "app.py": (
                "from flask import Flask\n"
                "app = Flask(__name__)\n"
                '@app.route("/login", methods=["GET", "POST"])\n'
                "def login():\n    return 1\n"
                '@app.route("/")\n'
                "def home():\n    return 1\n"
            )
        },
        {
            ("GET", "/login", "app.login"),
            ("POST", "/login", "app.login"),
            ("GET", "/", "app.home"),
        },
    ),
    "django": (
        {
            "site/urls.py": (
                "from django.urls import include, path\n"
                'urlpatterns = [path("shop/", include("shop.urls"))]\n'
            ),
            "shop/__init__.py": "",
            "shop/urls.py": (
                "from django.urls import path\n"
                "from . import views\n"
                "from .views import Cart\n"
                "urlpatterns = [\n"
                '    path("items/<int:pk>/", views.item),\n'
                '    path("cart/", Cart.as_view(), name="cart"),\n'
                "]\n"
            ),
            "shop/views.py": "def item(request, pk):\n    pass\nclass Cart:\n    pass\n",
        },
        {
            ("ANY", "/shop/items/<int:pk>/", "shop.views.item"),
            ("ANY", "/shop/cart/", "shop.views.Cart"),
        },
    ),
    "spring": (
        {
            "Api.java": (
                "package app;\n"
                '@RestController\n@RequestMapping("/api/users")\n'
                "public class Api {\n"
                '  @GetMapping("/{id}")\n  public String one() { return ""; }\n'
                "  @PostMapping\n  public void add() {}\n"
                '  @RequestMapping(value = "/all", method = RequestMethod.DELETE)\n'
                "  public void clear() {}\n"
                "}\n"
            )
        },
        {
            ("GET", "/api/users/{id}", "app.Api.one"),
            ("POST", "/api/users", "app.Api.add"),
            ("DELETE", "/api/users/all", "app.Api.clear"),
        },
    ),
    "ktor": (
        {
            "App.kt": (
                "package app\n"
                "fun Application.module() {\n"
                "    routing {\n"
                '        route("/api") {\n'
                '            get("/items") { call.respond(1) }\n'
                "        }\n"
                '        post("/login") { }\n'
                "    }\n"
                "}\n"
            )
        },
        {("GET", "/api/items", None), ("POST", "/login", None)},
    ),
    "express": (
        {
            "app.js": (
                'const express = require("express");\n'
                'const users = require("./users");\n'
                "const app = express();\n"
                'app.get("/health", health);\n'
                "function health(req, res) {}\n"
                'app.use("/users", users);\n'
            ),
            "users.js": (
                'const express = require("express");\n'
                "const router = express.Router();\n"
                'router.post("/:id", (req, res) => {});\n'
                "module.exports = router;\n"
            ),
        },
        {("GET", "/health", "app.health"), ("POST", "/users/:id", "users.<lambda1>")},
    ),
    "nestjs": (
        {
            "cats.controller.ts": (
                'import { Controller, Get, Post } from "@nestjs/common";\n'
                '@Controller("cats")\n'
                "export class CatsController {\n"
                '  @Get(":id")\n  find(): string { return ""; }\n'
                "  @Post()\n  add(): void {}\n"
                "}\n"
            )
        },
        {
            ("GET", "/cats/:id", "cats.controller.CatsController.find"),
            ("POST", "/cats", "cats.controller.CatsController.add"),
        },
    ),
    "go": (
        {
            "main.go": (
                'package main\nimport "net/http"\n'
                "func hello(w http.ResponseWriter, r *http.Request) {}\n"
                'func main() {\n\thttp.HandleFunc("/hello", hello)\n'
                '\thttp.HandleFunc("POST /items", hello)\n}\n'
            )
        },
        {("ANY", "/hello", "main.hello"), ("POST", "/items", "main.hello")},
    ),
    "gin": (
        {
            "main.go": (
                'package main\nimport "github.com/gin-gonic/gin"\n'
                "func show(c *gin.Context) {}\n"
                "func main() {\n\tr := gin.Default()\n"
                '\tv1 := r.Group("/v1")\n\tv1.GET("/users/:id", show)\n'
                '\tr.POST("/login", show)\n}\n'
            )
        },
        {("GET", "/v1/users/:id", "main.show"), ("POST", "/login", "main.show")},
    ),
    "aspnet": (
        {
            "Users.cs": (
                "namespace App;\n"
                '[ApiController]\n[Route("api/[controller]")]\n'
                "public class UsersController : ControllerBase\n{\n"
                '    [HttpGet("{id}")]\n    public string One(int id) => "";\n'
                "    [HttpPost]\n    public void Add() { }\n}\n"
            )
        },
        {
            ("GET", "/api/Users/{id}", "App.UsersController.One"),
            ("POST", "/api/Users", "App.UsersController.Add"),
        },
    ),
}


@pytest.mark.parametrize("framework", sorted(PROGRAMS))
def test_routes_become_endpoints_that_call_their_handlers(framework, tmp_path):
    files, expected = PROGRAMS[framework]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    graph = build(tmp_path, workers=1)
    found = set()
    for node in graph.nodes:
        if node.kind != NodeKind.ENDPOINT:
            continue
        handlers = [
            graph.name_of(e.dst) for e in graph.outgoing(node.id, EdgeKind.CALLS)
        ]
        assert len(handlers) == 1
        wanted = {path: h for _, path, h in expected}
        handler = handlers[0] if wanted.get(node.http_path) is not None else None
        found.add((node.http_method, node.http_path, handler))
    assert found == expected
