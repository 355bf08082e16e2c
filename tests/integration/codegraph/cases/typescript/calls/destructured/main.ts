class Api {
  get(): void {}
}

interface Context {
  api: Api;
}

function use(context: Context): void {
  const { api } = context;
  api.get();
}
