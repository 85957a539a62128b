import { APIService, locallyAvailable } from "../../api/apiregistration/v1/api-service.ts";
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

/**
 * An APIService of this server with the condition that it is available; undefined if another server
 * serves it, or if it has the condition already.
 */
function availableService(service: APIService, time: string): APIService | undefined {
  if (service.spec.service) return undefined;
  const conditions = service.status?.conditions ?? [];
  const found = conditions.find(({ type }) => type === "Available");
  const wanted = locallyAvailable(time);
  if (found?.status === wanted.status && found.reason === wanted.reason)
    if (found.message === wanted.message) return undefined;
  const lastTransitionTime =
    found?.status === wanted.status ? found.lastTransitionTime : wanted.lastTransitionTime;
  const condition = { ...wanted, lastTransitionTime };
  const next = found
    ? conditions.map((other) => (other === found ? condition : other))
    : [...conditions, condition];
  return { ...service, status: { ...service.status, conditions: next } };
}
