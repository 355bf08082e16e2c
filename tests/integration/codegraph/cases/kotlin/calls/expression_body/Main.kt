fun twice(n: Int) = add(n, n)

fun add(a: Int, b: Int): Int = a + b
