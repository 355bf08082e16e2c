import { EventEmitter } from "events";

class Bus extends EventEmitter {
  ring() {
    this.emit("ring");
  }
}
