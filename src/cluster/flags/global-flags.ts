import { boolFlag } from "../../cli/flag.ts";
import { section } from "./server-flag.ts";

export const globalFlags = section("Global flags", {
  version: boolFlag({ usage: "show the version, and end" }),
});
