import { type APIService, locallyAvailable } from "../../api/apiregistration/v1/api-service.ts";
import { now } from "../objects/environment.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { serverContext } from "../server-context.ts";
import { tolerating } from "../verbs/tolerating.ts";
import { update } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { Keeper } from "./follower.ts";

/** Says of every API that this server serves itself that it is available, whatever its status was. */
export function keepLocalAvailability(parts: VerbParts): Keeper[] {
  const kind = parts.resources.find("apiregistration.k8s.io", "v1", "apiservices");
  if (!kind) return [];
  return [
    {
      task: "keep availability of APIs",
      queue: "LocalAvailabilityController",
      kinds: [kind],
      concerns: ({ type }) => type !== "DELETED",
      async sync() {
        const cache = parts.reader.cache.of(kind);
        for (const { object } of cache.readable(cache.prefix)) {
          if (!availableService(object as APIService, "")) continue;
          const address = { kind, namespace: "", name: object.metadata.name ?? "" };
          const change = (existing: ApiObject | undefined) =>
            structuredClone(
              availableService(existing as APIService, now(parts.environment)) ?? existing,
            ) as ObjectDraft;
          const work = update(parts, { address, subresource: "status", change }, serverContext());
          await tolerating(["NotFound", "Conflict"], work);
        }
      },
    },
  ];
}

/** A service that is served here, said to be available; undefined where it is another's, or says so. */
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
