class Main {
    fun run() {
        step()
        this.step()
    }

    fun step() {
    }
}
