import java.io.File

fun main() {
    println("x")
    val file = File("a")
    file.delete()
}
