export default class Tool {
  use(): void {}
}
