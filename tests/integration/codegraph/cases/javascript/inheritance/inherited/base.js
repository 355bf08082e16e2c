export class Base {
  setup() {}
}
