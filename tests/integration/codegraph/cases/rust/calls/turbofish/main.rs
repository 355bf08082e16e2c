fn parse<T>(text: &str) -> Option<T> {
    None
}

fn main() {
    parse::<i32>("1");
}
