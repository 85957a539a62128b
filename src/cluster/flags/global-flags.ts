import { section } from "./server-flag.ts";
import { versionFlag } from "./version-flag.ts";

export const globalFlags = section("Global flags", {
  version: versionFlag,
});
