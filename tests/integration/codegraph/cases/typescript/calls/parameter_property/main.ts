class Store {
  save(): void {}
}

class Service {
  constructor(private readonly store: Store) {}

  serve(): void {
    this.store.save();
  }
}
