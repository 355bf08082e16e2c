fn outer() {
    fn inner() {}
    inner();
}
