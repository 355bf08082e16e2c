"""A small program in every language that is read.

Each has a keyword, a string, a number, a comment and a function named `greet`.
"""

from __future__ import annotations

PROGRAMS = {
    "bash": '# c\ngreet() { local x="a $1"; echo "$x"; }\n',
    "c": 'static int greet(char *x) { return printf("%d", 3); } // c',
    "c-sharp": 'class A { string greet(int y) { return G($"a {y}", 3); } } // c',
    "cpp": 'class A { int greet(int x) { return g("x", 3); } }; // c',
    "go": 'package a\nfunc greet(x string) error { return f("a", 3) } // c',
    "java": 'class A { String greet(int x) { return f("s", 3); } } // c',
    "javascript": "function greet(x) { return f(`a ${x + 3} b`); } // c",
    "kotlin": 'fun greet(s: String): Int { return g("a ${s} b", 3) } // c',
    "lua": 'local function greet(x) return g("a", 3) end -- c',
    "php": '<?php function greet(int $x) { return foo("a", 3); } // c',
    "python": 'def greet(x: int):\n    return f("a", 3)  # c\n',
    "ruby": 'def greet(x)\n  return f("a #{x} b", 3) # c\nend',
    "rust": 'fn greet(x: &str) -> u32 { return f("a", 3); } // c',
    "scala": 'def greet(s: String): Int = { return g("a", 3) } // c',
    "swift": 'func greet(x: Int) -> String { return g("a", 3) } // c',
    "tsx": 'function greet(x: string) { return f("a", 3); } // c',
    "typescript": 'function greet(x: string) { return f("a", 3); } // c',
}
