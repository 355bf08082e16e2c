import { Base } from "./base";

class Child extends Base {
  run(): void {
    this.setup();
  }
}
