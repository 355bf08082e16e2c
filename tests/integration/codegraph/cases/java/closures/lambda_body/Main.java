class Main {
    void work() {
    }

    void run() {
        Runnable task = () -> work();
        task.run();
    }
}
