class Item {
  ship(): void {}
}

function shipAll(items: Item[]): void {
  items.forEach((item) => item.ship());
}
