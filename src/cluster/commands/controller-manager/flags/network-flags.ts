import { intFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent } from "./controller-flag.ts";

export const serviceFlags = section("Service-lb-controller flags", {
  "concurrent-service-syncs": absent(
    "service-lb-controller",
    "ServiceController.ConcurrentServiceSyncs",
    intFlag({ usage: "how many services are reconciled at a time", default: 1 }),
  ),
});
