function outer(): void {
  function inner(): void {}
  inner();
}
