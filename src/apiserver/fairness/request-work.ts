import type { Attributes } from "../authorization/attributes.ts";
import type { Query } from "../request/query.ts";
import { estimateList, estimateWrite, oneSeat, type WorkEstimate } from "./work-estimate.ts";

/** What the estimate of a request needs to know of the server. */
export interface LoadFacts {
  /** What is stored of a resource; undefined for those that are unknown or served by others. */
  stored(attributes: Attributes): { readonly count: number; readonly bytes: number } | undefined;
  /** How many watches an event of the object interests. */
  watchers(attributes: Attributes): number;
}

/** How much work a request is, as far as that can be told before it is executed. */
export function estimateRequest(
  attributes: Attributes,
  query: Query,
  { facts, mostSeats }: { readonly facts: LoadFacts; readonly mostSeats: number | undefined },
): WorkEstimate {
  const { verb, isResource, resource, subresource } = attributes;
  if (!isResource) return oneSeat;
  if (verb === "list" || verb === "watch") {
    const stored = facts.stored(attributes);
    return estimateList(
      {
        ...listParameters(query),
        isWatch: verb === "watch",
        isSingle: attributes.name !== "",
        stored: stored && {
          count: stored.count,
          averageBytes: stored.count === 0 ? 0 : stored.bytes / stored.count,
        },
      },
      mostSeats,
    );
  }
  if (!writing.has(verb)) return oneSeat;
  // A token is created without a change of its account.
  if (resource === "serviceaccounts" && subresource === "token") return oneSeat;
  return estimateWrite(facts.watchers(attributes), mostSeats);
}

const writing: ReadonlySet<string> = new Set(["create", "update", "patch", "delete"]);

/** Later stages reject invalid parameters. */
function listParameters(query: Query) {
  const resourceVersion = query.text("resourceVersion");
  const limit = Math.max(0, Number(query.text("limit")) || 0);
  const match = query.text("resourceVersionMatch");
  const isExact =
    match === "Exact" ||
    (match === "" && limit > 0 && resourceVersion !== "" && resourceVersion !== "0");
  return {
    resourceVersion,
    limit,
    sendInitialEvents: query.flag("sendInitialEvents") ?? false,
    isCached: !isExact && query.text("continue") === "",
    hasSelector: query.text("fieldSelector") !== "" || query.text("labelSelector") !== "",
  };
}
