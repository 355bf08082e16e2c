import { helper } from "./tools/helper";

helper();
