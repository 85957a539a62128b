import { intFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent } from "./controller-flag.ts";

export const deviceTaintFlags = section("Device-taint-eviction-controller flags", {
  "concurrent-device-taint-eviction-syncs": absent(
    "device-taint-eviction-controller",
    "DeviceTaintEvictionController.ConcurrentSyncs",
    intFlag({ usage: "how many pods and rules are reconciled at a time", default: 8 }),
  ),
});
