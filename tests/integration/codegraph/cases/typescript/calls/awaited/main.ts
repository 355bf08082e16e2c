class User {
  greet(): void {}
}

async function load(): Promise<User> {
  return new User();
}

async function start(): Promise<void> {
  const user = await load();
  user.greet();
}
