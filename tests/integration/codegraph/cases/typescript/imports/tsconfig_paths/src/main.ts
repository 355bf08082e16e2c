import { saw } from "@lib/tools";

saw();
