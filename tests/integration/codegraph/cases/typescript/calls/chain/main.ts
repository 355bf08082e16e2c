class Query {
  where(): Query {
    return this;
  }

  run(): void {}
}

function start(query: Query): void {
  query.where().where().run();
}
