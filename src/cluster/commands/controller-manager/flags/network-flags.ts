import { intFlag } from "../../../../cli/flag.ts";
import { section, withoutEffect } from "../../../flags/server-flag.ts";

export const serviceFlags = section("Service-lb-controller flags", {
  "concurrent-service-syncs": {
    ...withoutEffect(
      "load balancers of all services are planned together",
      intFlag({ usage: "how many services are reconciled at a time", default: 1 }),
    ),
    field: "ServiceController.ConcurrentServiceSyncs",
  },
});
