function outer() {
  const inner = () => {};
  inner();
}

outer();
