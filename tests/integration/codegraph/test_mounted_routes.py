"""Web routes whose paths are put together from several files."""

from __future__ import annotations

import pytest

from outcrop.codegraph import build
from outcrop.codegraph.endpoints.mounts import MAX_PREFIXES
from outcrop.model.edge import EdgeKind
from outcrop.model.node import NodeKind

PROGRAMS = {
    "fastapi routers in routers": (
        {
            "app/__init__.py": "",
            "app/main.py": (
                "from fastapi import FastAPI\n"
                "from app.api import router as api\n"
                'app = FastAPI()\napp.include_router(api, prefix="/api")\n'
                '@app.get("/health")\ndef health():\n    return 1\n'
            ),
            "app/api/__init__.py": (
                "from fastapi import APIRouter\n"
                "from . import users\n"
                "from .items import router as items\n"
                "PREFIX = '/items'\n"
                "router = APIRouter()\n"
                'router.include_router(users.router, prefix="/users")\n'
                "router.include_router(items, prefix=PREFIX)\n"
            ),
            "app/api/users.py": (
                "from fastapi import APIRouter\n"
                'router = APIRouter(prefix="/v1")\n'
                '@router.get("/{name}")\ndef show(name):\n    return name\n'
            ),
            "app/api/items.py": (
                "from fastapi import APIRouter\n"
                "router = APIRouter()\n"
                "def add():\n    return 1\n"
                'router.add_api_route("/new", add, methods=["POST"])\n'
            ),
        },
        {
            ("GET", "/health", "app.main.health"),
            ("GET", "/api/users/v1/{name}", "app.api.users.show"),
            ("POST", "/api/items/new", "app.api.items.add"),
        },
    ),
    "flask blueprints": (
        {
            "shop/__init__.py": (
                "from flask import Flask\n"
                "def create_app():\n"
                "    from . import auth\n"
                "    from .cart import cart\n"
                "    app = Flask(__name__)\n"
                "    app.register_blueprint(auth.bp)\n"
                '    app.register_blueprint(cart, url_prefix="/basket")\n'
                '    app.add_url_rule("/about", view_func=about)\n'
                "    return app\n"
                "def about():\n    return 1\n"
            ),
            "shop/auth.py": (
                "from flask import Blueprint\n"
                'bp = Blueprint("auth", __name__, url_prefix="/auth")\n'
                '@bp.route("/login", methods=("GET", "POST"))\n'
                "def login():\n    return 1\n"
            ),
            "shop/cart.py": (
                "from flask import Blueprint\n"
                'cart = Blueprint("cart", __name__, url_prefix="/cart")\n'
                '@cart.get("/")\ndef show():\n    return 1\n'
            ),
        },
        {
            ("GET", "/auth/login", "shop.auth.login"),
            ("POST", "/auth/login", "shop.auth.login"),
            ("GET", "/basket", "shop.cart.show"),
            ("GET", "/about", "shop.about"),
        },
    ),
    "django includes": (
        {
            "site/__init__.py": "",
            "site/urls.py": (
                "from django.urls import include, path\n"
                "from shop import views\n"
                "extra = [path('help/', views.help)]\n"
                "urlpatterns = [\n"
                "    path('api/', include('shop.urls')),\n"
                "    path('more/', include(extra)),\n"
                "    path('in/', include([path('here/', views.here)])),\n"
                "]\n"
            ),
            "shop/__init__.py": "",
            "shop/urls.py": (
                "from django.urls import include, path\n"
                "urlpatterns = [path('v1/', include(('shop.v1', 'shop')))]\n"
            ),
            "shop/v1.py": (
                "from django.urls import re_path\n"
                "from . import views\n"
                "urlpatterns = [re_path(r'^items/$', views.items)]\n"
            ),
            "shop/views.py": (
                "def items(r): pass\ndef help(r): pass\ndef here(r): pass\n"
            ),
        },
        {
            ("ANY", "/api/v1/items/", "shop.views.items"),
            ("ANY", "/more/help/", "shop.views.help"),
            ("ANY", "/in/here/", "shop.views.here"),
        },
    ),
    "express routers in routers": (
        {
            "app.js": (
                'const express = require("express");\n'
                "const app = express();\n"
                'app.use("/api", require("./api"));\n'
                'app.route("/books").get(list).post(add);\n'
                "function list(req, res) {}\nfunction add(req, res) {}\n"
            ),
            "api.js": (
                'const express = require("express");\n'
                'const users = require("./users");\n'
                "const router = express.Router();\n"
                'router.use("/users", auth, users);\n'
                'router.get("/ping", ping);\n'
                "function ping(req, res) {}\nfunction auth(req, res, next) {}\n"
                "module.exports = router;\n"
            ),
            "users.js": (
                'const { Router } = require("express");\n'
                "const router = Router();\n"
                'router.delete("/:id", remove);\nfunction remove(req, res) {}\n'
                "module.exports = router;\n"
            ),
        },
        {
            ("GET", "/books", "app.list"),
            ("POST", "/books", "app.add"),
            ("GET", "/api/ping", "api.ping"),
            ("DELETE", "/api/users/:id", "users.remove"),
        },
    ),
    "express modules": (
        {
            "src/app.ts": (
                'import express from "express";\n'
                'import users from "./routes/users";\n'
                "const app = express();\n"
                'const v1 = express.Router();\nv1.use("/users", users);\n'
                'app.use("/v1", v1);\n'
            ),
            "src/routes/users.ts": (
                'import { Router } from "express";\n'
                "const router = Router();\n"
                "export function all(req: any, res: any) {}\n"
                'router.get("/", all);\nexport default router;\n'
            ),
        },
        {("GET", "/v1/users", "src/routes/users.all")},
    ),
    "gin groups handed on": (
        {
            "go.mod": "module shop\n",
            "main.go": (
                'package main\nimport (\n\t"github.com/gin-gonic/gin"\n'
                '\t"shop/users"\n)\n'
                "func main() {\n\tr := gin.Default()\n"
                '\tapi := r.Group("/api")\n\tv1 := api.Group("/v1")\n'
                "\tusers.Register(v1)\n"
                '\tv1.GET("/ping", ping)\n}\n'
                "func ping(c *gin.Context) {}\n"
            ),
            "users/users.go": (
                'package users\nimport "github.com/gin-gonic/gin"\n'
                "func Register(rg *gin.RouterGroup) {\n"
                '\trg.GET("/users/:id", show)\n}\n'
                "func show(c *gin.Context) {}\n"
            ),
        },
        {
            ("GET", "/api/v1/ping", "shop.ping"),
            ("GET", "/api/v1/users/:id", "shop/users.show"),
        },
    ),
    "chi and echo": (
        {
            "go.mod": "module shop\n",
            "main.go": (
                'package main\nimport "github.com/go-chi/chi/v5"\n'
                "func routes() {\n\tr := chi.NewRouter()\n"
                '\tr.Route("/articles", func(r chi.Router) {\n'
                '\t\tr.Get("/{id}", show)\n\t})\n'
                '\tr.Mount("/admin", admin())\n}\n'
                "func admin() chi.Router {\n\tr := chi.NewRouter()\n"
                '\tr.Post("/users", add)\n\treturn r\n}\n'
                "func show(w http.ResponseWriter, q *http.Request) {}\n"
                "func add(w http.ResponseWriter, q *http.Request) {}\n"
            ),
            "echo.go": (
                'package main\nimport "github.com/labstack/echo/v4"\n'
                "func start() {\n\te := echo.New()\n"
                '\tg := e.Group("/echo")\n\tg.PUT("/x", put)\n}\n'
                "func put(c echo.Context) error { return nil }\n"
            ),
        },
        {
            ("GET", "/articles/{id}", "shop.show"),
            ("POST", "/admin/users", "shop.add"),
            ("PUT", "/echo/x", "shop.put"),
        },
    ),
    "ktor functions of routes": (
        {
            "App.kt": (
                "package app\nimport app.users.userRoutes\n"
                "fun Application.module() {\n    routing {\n"
                '        route("/api") {\n            userRoutes()\n        }\n'
                "    }\n}\n"
            ),
            "users/Users.kt": (
                "package app.users\n"
                "fun Route.userRoutes() {\n"
                '    route("/users") {\n        get("/{id}") { call.respond(1) }\n'
                "    }\n}\n"
            ),
        },
        {("GET", "/api/users/{id}", "app.users.userRoutes.<lambda1>.<lambda1>")},
    ),
    "spring in kotlin": (
        {
            "Api.kt": (
                "package app\n@RestController\n"
                '@RequestMapping("/users")\nclass Api {\n'
                '    @GetMapping("/{id}")\n    fun one(): String = ""\n}\n'
            )
        },
        {("GET", "/users/{id}", "app.Api.one")},
    ),
    "minimal asp.net": (
        {
            "Program.cs": (
                "var app = builder.Build();\n"
                'var api = app.MapGroup("/api");\n'
                'var users = api.MapGroup("/users");\n'
                'users.MapGet("/{id}", Handlers.One);\n'
                'app.MapGroup("/x").MapPost("/y", Handlers.Two);\n'
                "static class Handlers {\n"
                '    public static string One(int id) => "";\n'
                "    public static void Two() { }\n}\n"
            )
        },
        {
            ("GET", "/api/users/{id}", "Handlers.One"),
            ("POST", "/x/y", "Handlers.Two"),
        },
    ),
}


@pytest.mark.parametrize("framework", sorted(PROGRAMS))
def test_paths_are_joined_from_where_routers_are_mounted(framework, tmp_path):
    files, expected = PROGRAMS[framework]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    graph = build(tmp_path, workers=1)
    found = set()
    for node in graph.nodes:
        if node.kind == NodeKind.ENDPOINT:
            calls = graph.outgoing(node.id, EdgeKind.CALLS)
            handlers = [graph.name_of(edge.dst) for edge in calls]
            found.add((node.http_method, node.http_path, *handlers))
    assert found == expected


def routes(graph):
    return [node for node in graph.nodes if node.kind == NodeKind.ENDPOINT]


def chained_routers(count, mounts):
    """Return routers of which each mounts the one before it."""
    code = "from fastapi import APIRouter\n\nr0 = APIRouter()\n\n"
    code += '@r0.get("/x")\ndef f():\n    pass\n\n'
    for number in range(count):
        code += f"r{number + 1} = APIRouter()\n"
        for prefix in mounts:
            code += f"r{number + 1}.include_router(r{number}, prefix={prefix!r})\n"
    return code


def test_a_route_under_a_thousand_routers_has_a_path(tmp_path):
    tmp_path.joinpath("app.py").write_text(chained_routers(1000, ["/p"]))
    (route,) = routes(build(tmp_path, workers=1))
    assert route.http_path.startswith("/p/p/")


def test_routers_that_are_mounted_twice_have_a_bounded_number_of_paths(tmp_path):
    tmp_path.joinpath("app.py").write_text(chained_routers(30, ["/p", "/q"]))
    assert len(routes(build(tmp_path, workers=1))) == MAX_PREFIXES
