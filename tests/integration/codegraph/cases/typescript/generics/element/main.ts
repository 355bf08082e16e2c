class Item {
  ship(): void {}
}

function shipAll(items: Item[], more: Array<Item>): void {
  for (const item of items) {
    item.ship();
  }
  more[0].ship();
}
