import { saw } from "./tools";

saw();
