import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { PriorityClass } from "../../../api/scheduling/v1/priority-class.ts";
import { PodBinding } from "../../../client/subresource-kinds.ts";
import { selfSigned } from "../../../platform/real-network.test-support.ts";
import { asking, schedulingCluster } from "../../../scheduler/cluster.test-support.ts";
import type { Extender } from "../../../scheduler/configuration/scheduler-configuration.ts";
import { connectExtender } from "./connect-extender.ts";

type Answer = (body: never) => unknown;

/** The verbs of an extender; one that returns undefined never answers. */
type Verbs = Readonly<Record<string, Answer>>;

interface Call {
  readonly verb: string;
  readonly body: unknown;
}

/** Starts an extender on a free port of this machine. */
async function extenderServer(verbs: Verbs, tls?: { cert: string; key: string }) {
  const calls: Call[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(parts).toString());
    const verb = request.url?.split("/").at(-1) ?? "";
    calls.push({ verb, body });
    const answer = await verbs[verb]?.(body as never);
    if (answer === undefined) return;
    if (typeof answer === "number") response.writeHead(answer).end();
    else response.end(JSON.stringify(answer));
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void respond(request, response);
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${port}/scheduler/`, calls };
}

async function clusterWith(extenders: readonly Extender[]) {
  const cluster = await schedulingCluster({
    configuration: { extenders: [...extenders] },
    connectExtender,
  });
  onTestFinished(cluster.end);
  /** Waits until a pod is as expected: extenders answer in real time. */
  const eventually = (name: string, expected: object) =>
    expect
      .poll(
        async () => {
          await cluster.settled();
          return cluster.getPod(name);
        },
        { timeout: 10_000 },
      )
      .toMatchObject(expected);
  const message = (text: string) => ({
    status: { conditions: [expect.objectContaining({ message: expect.stringContaining(text) })] },
  });
  return { ...cluster, eventually, message };
}

const withoutNodes = ({ Nodes }: { Nodes: { items: { metadata: { name: string } }[] } }) => ({
  // Members may be written as clients in other languages do.
  nodes: { items: Nodes.items.filter(({ metadata }) => metadata.name === "b") },
  failedNodes: { a: "too far" },
});

test("an extender filters nodes, and the message has its reasons", async () => {
  let allowed = "c";
  const { url, calls } = await extenderServer({
    filter: ({ NodeNames }: { NodeNames: string[] }) => ({
      NodeNames: NodeNames.filter((name) => name === allowed),
      FailedNodes: { a: "too far" },
      FailedAndUnresolvableNodes: { b: "too old" },
    }),
  });
  const cluster = await clusterWith([
    { urlPrefix: url, filterVerb: "filter", nodeCacheCapable: true },
  ]);
  await cluster.node("a");
  await cluster.node("b");
  await cluster.pod("p");
  await cluster.eventually("p", cluster.message("0/2 nodes are available: 1 too far, 1 too old."));
  allowed = "b";
  // Any event may change the mind of an extender.
  await cluster.node("c");
  await cluster.advance("15s");
  await cluster.eventually("p", { spec: { nodeName: "b" } });
  const [first] = calls;
  expect(first).toMatchObject({
    verb: "filter",
    body: { Pod: { metadata: { name: "p" } }, Nodes: null, NodeNames: ["a", "b"] },
  });
});

test("an extender without a cache gets and returns whole nodes", async () => {
  const { url } = await extenderServer({ filter: withoutNodes });
  const cluster = await clusterWith([{ urlPrefix: url, filterVerb: "filter" }]);
  await cluster.node("a");
  await cluster.node("b");
  await cluster.pod("p");
  await cluster.eventually("p", { spec: { nodeName: "b" } });
});

test("the weighted scores of extenders are added; one that fails gives none", async () => {
  const scores = (a: number, b: number) => () => [
    { Host: "a", Score: a },
    { Host: "b", Score: b },
  ];
  const one = await extenderServer({ prioritize: scores(10, 0) });
  const other = await extenderServer({ prioritize: scores(0, 5) });
  const broken = await extenderServer({ prioritize: () => 500 });
  const extender = ({ url }: { url: string }, weight: number) => ({
    ...{ urlPrefix: url, prioritizeVerb: "prioritize", nodeCacheCapable: true, weight },
  });
  const cluster = await clusterWith([extender(one, 10), extender(other, 21), extender(broken, 1)]);
  await cluster.node("a");
  await cluster.node("b");
  await cluster.pod("p");
  await cluster.eventually("p", { spec: { nodeName: "b" } });
  expect(broken.calls).toHaveLength(1);
});

test("only pods with a managed resource reach an extender, which the scheduler may ignore", async () => {
  const { url, calls } = await extenderServer({
    filter: ({ NodeNames }: { NodeNames: string[] }) => ({ NodeNames }),
  });
  const cluster = await clusterWith([
    {
      ...{ urlPrefix: url, filterVerb: "filter", nodeCacheCapable: true },
      managedResources: [{ name: "example.com/far", ignoredByScheduler: true }],
    },
  ]);
  await cluster.node("a");
  await cluster.pod("plain");
  await cluster.eventually("plain", { spec: { nodeName: "a" } });
  expect(calls).toEqual([]);
  const resources = { limits: { "example.com/far": "1" } };
  await cluster.pod("managed", {
    containers: [{ name: "main", image: "example.com/main:1", resources }],
  });
  await cluster.eventually("managed", { spec: { nodeName: "a" } });
  expect(calls).toHaveLength(1);
});

test("an extender binds pods instead of the scheduler", async () => {
  let bind: (body: { PodName: string; Node: string }) => Promise<unknown> = async () => ({});
  const { url, calls } = await extenderServer({ bind: ((body) => bind(body)) as Answer });
  const cluster = await clusterWith([{ urlPrefix: url, bindVerb: "bind" }]);
  bind = async ({ PodName, Node }) => {
    const key = { namespace: "default", name: PodName };
    const target = { kind: "Node", name: Node };
    await cluster.client
      .subresource(Pod, key, "binding")
      .create(PodBinding, { metadata: key, target });
    return {};
  };
  await cluster.node("a");
  const pod = await cluster.pod("p");
  await cluster.eventually("p", { spec: { nodeName: "a" } });
  expect(calls).toEqual([
    {
      verb: "bind",
      body: { PodName: "p", PodNamespace: "default", PodUID: pod.metadata.uid, Node: "a" },
    },
  ]);
  bind = async () => ({ Error: "no more" });
  await cluster.pod("q");
  await cluster.eventually("q", cluster.message("no more"));
});

test("an extender chooses the node where pods are evicted", async () => {
  const { url, calls } = await extenderServer({
    preempt: ({ NodeNameToMetaVictims: { b } }: { NodeNameToMetaVictims: { b: object } }) => ({
      NodeNameToMetaVictims: { b },
    }),
  });
  const cluster = await clusterWith([
    { urlPrefix: url, preemptVerb: "preempt", nodeCacheCapable: true },
  ]);
  await cluster.client.create(PriorityClass, { metadata: { name: "high" }, value: 10 });
  for (const name of ["a", "b"]) {
    await cluster.node(name, { cpu: "1" });
    await cluster.pod(`on-${name}`, {
      ...asking({ cpu: "1" }),
      nodeSelector: { "kubernetes.io/hostname": name },
    });
    await cluster.settled();
  }
  await cluster.pod("p", { ...asking({ cpu: "1" }), priorityClassName: "high" });
  await cluster.eventually("p", { status: { nominatedNodeName: "b" } });
  const victim = await cluster.getPod("on-b");
  expect(victim.metadata.deletionTimestamp).toBeDefined();
  expect(calls[0]?.body).toMatchObject({
    NodeNameToVictims: null,
    NodeNameToMetaVictims: {
      a: { NumPDBViolations: 0 },
      b: { Pods: [{ UID: victim.metadata.uid }], NumPDBViolations: 0 },
    },
  });
});

test("a pod waits for an extender that fails, and does not if it may be ignored", async () => {
  const { url } = await extenderServer({ filter: () => 503 });
  const broken = { urlPrefix: url, filterVerb: "filter" };
  const strict = await clusterWith([broken]);
  await strict.node("a");
  await strict.pod("p");
  const code = `failed filter with extender at URL ${url}filter, code 503`;
  await strict.eventually("p", strict.message(code));
  const lenient = await clusterWith([{ ...broken, ignorable: true }]);
  await lenient.node("a");
  await lenient.pod("p");
  await lenient.eventually("p", { spec: { nodeName: "a" } });
});

test("an extender that cannot be reached or does not answer in time fails the attempt", async () => {
  const gone = await clusterWith([{ urlPrefix: "http://127.0.0.1:1", filterVerb: "filter" }]);
  await gone.node("a");
  await gone.pod("p");
  await gone.eventually(
    "p",
    gone.message(
      'Post "http://127.0.0.1:1/filter": dial tcp 127.0.0.1:1: connect: connection refused',
    ),
  );
  const { url, calls } = await extenderServer({ filter: () => undefined });
  const slow = await clusterWith([{ urlPrefix: url, filterVerb: "filter", httpTimeout: "7s" }]);
  await slow.node("a");
  await slow.pod("p");
  await expect.poll(() => calls.length).toBe(1);
  await slow.advance("6s");
  expect((await slow.getPod("p")).status.conditions).toBeUndefined();
  await slow.advance("1s");
  await slow.eventually(
    "p",
    slow.message(
      `Post "${url}filter": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    ),
  );
});

test("the certificate of an extender is verified if authorities are given", async () => {
  const tls = selfSigned();
  const { url } = await extenderServer({ filter: withoutNodes }, tls);
  const caData = Buffer.from(tls.cert).toString("base64");
  const secure = { urlPrefix: url, filterVerb: "filter", enableHTTPS: true };
  const placed = async (extender: Extender) => {
    const cluster = await clusterWith([extender]);
    await cluster.node("b");
    await cluster.pod("p");
    return cluster;
  };
  for (const tlsConfig of [{ caData }, { insecure: true }, undefined]) {
    const cluster = await placed({ ...secure, tlsConfig });
    await cluster.eventually("p", { spec: { nodeName: "b" } });
  }
  const other = Buffer.from(selfSigned().cert).toString("base64");
  const cluster = await placed({ ...secure, tlsConfig: { caData: other } });
  await cluster.eventually("p", cluster.message("tls: failed to verify certificate: x509"));
});
