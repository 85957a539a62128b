import type { ApiClient, ApiObject } from "../api-client.ts";
import { compareStable, type Members, stable } from "../values.ts";
import { cleanObject } from "./clean-object.ts";
import type { Scenario } from "./scenario.ts";
import type { ScenarioRun } from "./scenario-run.ts";
import type { WatchedCluster } from "./watched-cluster.ts";
import { isClusterWide, listPath } from "./watched-resources.ts";

/** Where a scenario is observed. */
export interface Observed {
  readonly api: ApiClient;
  readonly cluster: WatchedCluster;
  readonly run: ScenarioRun;
  readonly mask: (value: unknown) => unknown;
}

/** The objects of a scenario by resource, sorted and without what differs from run to run. */
export async function observeObjects(
  { api, cluster, run, mask }: Observed,
  resources: readonly string[],
): Promise<Members> {
  const found: Record<string, unknown> = {};
  for (const resource of resources) {
    const items = await api.list(listPath(resource, run.namespace));
    found[resource] = items
      .filter(
        ({ metadata }) =>
          !isClusterWide(resource) || cluster.namespaceOf(metadata.name) === run.namespace,
      )
      .map((object) => cleanObject(object as object as Members, mask, resource))
      .sort(compareStable);
  }
  return found;
}

interface EventObject extends ApiObject {
  readonly type: string;
  readonly reason: string;
  readonly message?: string;
  readonly involvedObject: { readonly kind: string; readonly name?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

/** The distinct events of a scenario, without their counts. */
export async function observeEvents(
  { api, cluster, run, mask }: Observed,
  scenario: Scenario,
): Promise<readonly unknown[]> {
  const [own, shared] = await Promise.all(
    [run.namespace, "default"].map((namespace) =>
      api.list<EventObject>(`/api/v1/namespaces/${namespace}/events`),
    ),
  );
  // Events of cluster-wide objects are in the namespace default, also those of earlier runs.
  const isOwn = ({ involvedObject: { kind, name = "" }, metadata }: EventObject) =>
    kind !== "Pod" &&
    cluster.namespaceOf(name) === run.namespace &&
    Date.parse(metadata.creationTimestamp) >= run.began - 1000;
  const events = [...(own ?? []), ...(shared ?? []).filter(isOwn)].filter((event) =>
    isCompared(event, scenario),
  );
  const shown = events.map((event) => stable(shownEvent(event, mask)));
  return [...new Set(shown)].sort().map((text) => JSON.parse(text) as unknown);
}

/** Events of these reasons depend on when the allocators and the node lifecycle run. */
const neverCompared = new Set(["RemovingNode", "ClusterIPNotAllocated", "ClusterIPOutOfRange"]);

function isCompared({ reason, involvedObject }: EventObject, scenario: Scenario): boolean {
  if (neverCompared.has(reason) || scenario.ignoreEvents?.includes(reason)) return false;
  if (reason === "FailedScheduling") return scenario.serial === true;
  if (reason === "Scheduled") return scenario.name.startsWith("sched/");
  const isOfNode = involvedObject.kind === "Node" || reason === "TaintManagerEviction";
  return !isOfNode || scenario.nodeEvents === true;
}

function shownEvent(event: EventObject, mask: (value: unknown) => unknown): object {
  const { type, reason, message = "", involvedObject, source, reportingComponent } = event;
  return {
    type,
    reason,
    object: `${involvedObject.kind}/${mask(involvedObject.name)}`,
    component: source?.component || reportingComponent || "",
    message: mask(message.replace(/^\(combined from similar events\): /, "")),
  };
}
