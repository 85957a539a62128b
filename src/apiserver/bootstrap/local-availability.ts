import { APIService, locallyAvailable } from "../../api/apiregistration/v1/api-service.ts";
import { withAvailability } from "../aggregation/available-condition.ts";
import { now } from "../objects/environment.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { Reconciler } from "./reconcile-loop.ts";

/** Sets the condition Available of every API that this server serves itself. */
export function localAvailabilityReconciler({
  reader,
  writer,
  environment,
}: OwnParts): Reconciler[] {
  if (!reader.serves(APIService)) return [];
  return [
    {
      task: "availability of APIs",
      queue: "LocalAvailabilityController",
      kinds: [APIService],
      isRelevant: ({ type }) => type !== "DELETED",
      async reconcile() {
        for (const service of reader.listReadable(APIService)) {
          if (!availableService(service, "")) continue;
          await writer.update(
            APIService,
            { name: service.metadata.name ?? "" },
            (existing) => availableService(existing, now(environment)),
            { subresource: "status" },
          );
        }
      },
    },
  ];
}

/** An APIService of this server with the condition that it is available; undefined if there is nothing to change. */
const availableService = (service: APIService, time: string): APIService | undefined =>
  service.spec.service ? undefined : withAvailability(service, locallyAvailable(time), time);
