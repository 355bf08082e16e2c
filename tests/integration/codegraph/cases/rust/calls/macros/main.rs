fn size() -> usize {
    1
}

fn main() {
    println!("{}", size());
    let items = vec![size()];
}
