import { intFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent } from "./controller-flag.ts";

export const statefulSetFlags = section("Statefulset-controller flags", {
  "concurrent-statefulset-syncs": absent(
    "statefulset-controller",
    "StatefulSetController.ConcurrentStatefulSetSyncs",
    intFlag({ usage: "how many stateful sets are reconciled at a time", default: 5 }),
  ),
});
