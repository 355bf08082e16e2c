import { saw, cut } from "./tools";

saw();
cut();
