import { Base } from "./base.js";

class Child extends Base {
  run() {
    this.setup();
  }
}
