import { helper } from "./lib/helper.js";

helper();
