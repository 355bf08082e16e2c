import { saw } from "./tools.js";

saw();
