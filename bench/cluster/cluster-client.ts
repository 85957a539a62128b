import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { follow, open, type Session, send } from "../apiserver/apiserver-client.ts";
import type { Server } from "../apiserver/apiserver-process.ts";

/** A server, and a connection to it as the administrator. */
export function administer(server: Server, data: string): Session {
  return open(server.port, join(data, "pki"));
}

/** A pod template of a few lines. */
export const smallTemplate = (app: string) => ({
  metadata: { labels: { app } },
  spec: {
    containers: [
      {
        name: "web",
        image: "nginx:1.29",
        resources: { requests: { cpu: "10m", memory: "16Mi" } },
      },
    ],
  },
});

export async function createDeployment(
  session: Session,
  name: string,
  replicas: number,
): Promise<void> {
  const body = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: smallTemplate(name) },
  };
  const path = "/apis/apps/v1/namespaces/default/deployments";
  await send(session, { method: "POST", path, body }, 201);
}

/** Resolves when an object of a collection, as a watch tells of it, is as it should be. */
export async function until(
  session: Session,
  path: string,
  isDone: (object: WatchedObject) => boolean,
): Promise<void> {
  let rest = "";
  let done = (): void => {};
  const isThere = new Promise<void>((resolve) => {
    done = resolve;
  });
  const stream = await follow(
    session,
    `${path}${path.includes("?") ? "&" : "?"}watch=true`,
    (chunk) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      if (lines.some((line) => isDone((JSON.parse(line) as { object: WatchedObject }).object)))
        done();
    },
  );
  await isThere;
  stream.close();
}

export interface WatchedObject {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly readyReplicas?: number;
    readonly numberReady?: number;
    readonly succeeded?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Resolves when so many nodes are ready. */
export async function nodesReady(session: Session, count: number): Promise<void> {
  const ready = new Set<string>();
  await until(session, "/api/v1/nodes", ({ metadata, status }) => {
    const isReady = status?.conditions?.some(
      ({ type, status }) => type === "Ready" && status === "True",
    );
    if (isReady) ready.add(metadata.name);
    return ready.size >= count;
  });
}

/** Resolves when the default service account is there: without it there are no pods. */
export const accountReady = (session: Session): Promise<void> =>
  until(
    session,
    "/api/v1/namespaces/default/serviceaccounts",
    ({ metadata }) => metadata.name === "default",
  );

/** Resolves when a collection is empty. */
export async function allGone(session: Session, path: string): Promise<void> {
  while ((await countOf(session, path)) > 0) await delay(200);
}

/** Resolves when no more events are written: each round begins when nothing else goes on. */
export async function eventsWritten(session: Session): Promise<void> {
  for (let before = -1; ; await delay(1000)) {
    const events = await countOf(session, "/api/v1/namespaces/default/events");
    if (events === before) return;
    before = events;
  }
}

async function countOf(session: Session, path: string): Promise<number> {
  const body = await send(session, { method: "GET", path: `${path}?limit=1` }, 200);
  const { items, metadata } = JSON.parse(body.toString()) as {
    readonly items: readonly unknown[];
    readonly metadata: { readonly remainingItemCount?: number };
  };
  return items.length + (metadata.remainingItemCount ?? 0);
}

/** The revision of the store. */
export async function revisionOf(session: Session): Promise<number> {
  const body = await send(session, { method: "GET", path: "/api/v1/nodes?limit=1" }, 200);
  const { metadata } = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } };
  return Number(metadata.resourceVersion);
}
