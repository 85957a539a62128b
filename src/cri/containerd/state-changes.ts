import type { ContainerEvent } from "../runtime-types.ts";

/** What is known of a container or a sandbox at a time. */
export interface KnownState {
  readonly podUid: string;
  readonly state: "created" | "running" | "exited";
}

/** Sandboxes and containers by their IDs. */
export type KnownStates = ReadonlyMap<string, KnownState>;

/** The events that lead from one state of a runtime to another, for runtimes that send none. */
export function stateChanges(
  before: KnownStates,
  after: KnownStates,
  at: number,
): readonly ContainerEvent[] {
  const events: ContainerEvent[] = [];
  const add = (containerId: string, podUid: string, types: readonly ContainerEvent["type"][]) => {
    for (const type of types) events.push({ type, containerId, podUid, at });
  };
  for (const [id, { podUid, state }] of before)
    if (!after.has(id)) add(id, podUid, [...typesBetween(state, "exited"), "deleted"]);
  for (const [id, { podUid, state }] of after)
    add(id, podUid, typesBetween(before.get(id)?.state, state));
  return events;
}

/** The events from one state, or none, to a later one. */
function typesBetween(
  from: KnownState["state"] | undefined,
  to: KnownState["state"],
): readonly ContainerEvent["type"][] {
  const first = from === undefined ? 0 : order.indexOf(from) + 1;
  return order.slice(first, order.indexOf(to) + 1).map((state) => eventOf[state]);
}

const order = ["created", "running", "exited"] as const;
const eventOf = { created: "created", running: "started", exited: "stopped" } as const;
