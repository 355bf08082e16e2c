export abstract class Base {
  protected setup(): void {}
}
