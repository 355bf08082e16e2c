fn main() {
    helper();
}

fn helper() {}
