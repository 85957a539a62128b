import { onAbort } from "../../../base/on-abort.ts";
import type { DockerContext } from "../docker-context.ts";
import { type DockerOutput, type DockerRoute, route } from "../http/docker-route.ts";
import { type Filters, parseFilters, passes, passesLabels } from "../http/filters.ts";
import { queryTime } from "../http/query-values.ts";
import type { DockerEvent } from "./docker-events.ts";

const known = [
  "config",
  "container",
  "daemon",
  "event",
  "image",
  "label",
  "network",
  "node",
  "plugin",
  "scope",
  "secret",
  "service",
  "type",
  "volume",
];

/** The route of `docker events`. */
export function eventRoutes(
  context: Pick<DockerContext, "events" | "clock">,
): readonly DockerRoute[] {
  return [
    route("GET /events", ({ query }) => {
      const filters = parseFilters(query.get("filters"), known);
      const since = queryTime(query, "since");
      const until = queryTime(query, "until");
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        stream: (output) => sendEvents(context, { filters, since, until }, output),
      };
    }),
  ];
}

interface EventQuery {
  readonly filters: Filters;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

async function sendEvents(
  { events, clock }: Pick<DockerContext, "events" | "clock">,
  { filters, since, until }: EventQuery,
  { write, signal }: DockerOutput,
): Promise<void> {
  let writing = Promise.resolve();
  let waiting = 0;
  const late = new AbortController();
  const send = (event: DockerEvent): void => {
    const ms = event.timeNano / 1e6;
    if (!isWanted(event, filters) || ms > (until ?? Number.POSITIVE_INFINITY)) return;
    if (late.signal.aborted) return;
    if (++waiting > mostWaiting) late.abort();
    writing = writing.then(async () => {
      if (!late.signal.aborted) await write(`${JSON.stringify(event)}\n`);
      waiting--;
    });
  };
  const forget = events.listen(send);
  try {
    if (since !== undefined)
      for (const event of events.latest()) if (event.timeNano / 1e6 >= since) send(event);
    const leftMs = until === undefined ? undefined : until - clock.now();
    if (leftMs === undefined || leftMs > 0) await ended(clock, leftMs, [signal, late.signal]);
    if (late.signal.aborted) throw new Error("the client reads events too slowly");
    await writing;
  } finally {
    forget();
  }
}

/** Resolves after a time, or when one of the signals is aborted. */
function ended(
  clock: DockerContext["clock"],
  ms: number | undefined,
  signals: readonly AbortSignal[],
): Promise<void> {
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : clock.setTimer(ms, resolve);
    for (const signal of signals)
      onAbort(signal, () => {
        timer?.cancel();
        resolve();
      });
  });
}

/** A client that reads no more would fill the memory. */
const mostWaiting = 10_000;

function isWanted({ Type, Action, Actor }: DockerEvent, filters: Filters): boolean {
  const { ID, Attributes } = Actor;
  const isActor =
    (type: string) =>
    (value: string): boolean =>
      Type === type &&
      (ID === value || Attributes.name === value || (ID !== "" && ID.startsWith(value)));
  const byContainer = (value: string): boolean =>
    isActor("container")(value) || (Type !== "container" && Attributes.container === value);
  const byImage = (value: string): boolean =>
    isActor("image")(value) || (Type === "container" && Attributes.image === value);
  return (
    passes(filters, "type", (value) => Type === value) &&
    passes(filters, "event", (value) => Action === value || Action.split(":")[0] === value) &&
    passes(filters, "container", byContainer) &&
    passes(filters, "image", byImage) &&
    passes(filters, "volume", isActor("volume")) &&
    passes(filters, "network", isActor("network")) &&
    passes(filters, "scope", (value) => value === "local") &&
    passesLabels(filters, Attributes)
  );
}
