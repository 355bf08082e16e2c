fn work() {}

fn main() {
    let run = || work();
    run();
}
