mod tools {
    pub fn saw() {
        cut();
    }

    fn cut() {}
}

fn main() {
    tools::saw();
}
