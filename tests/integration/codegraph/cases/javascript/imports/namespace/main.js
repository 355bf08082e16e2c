import * as tools from "./tools";

tools.saw();
