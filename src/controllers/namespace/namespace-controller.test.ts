import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { Transport, TransportRequest } from "../../client/transport.ts";
import { type AccountedCluster, accountedCluster } from "../accounted-cluster.test-support.ts";
import { namespaceController } from "./namespace-controller.ts";

const runnables = [namespaceController({ concurrency: 10, resyncMs: 300_000 })];
/** Answers a request instead of the server; undefined where it does not. */
let instead: (request: TransportRequest) => ReturnType<Transport> | undefined;
let requests: TransportRequest[];
let cluster: AccountedCluster;
beforeEach(async () => {
  instead = () => undefined;
  requests = [];
  const through =
    (transport: Transport): Transport =>
    (request) => {
      requests.push(request);
      return instead(request) ?? transport(request);
    };
  cluster = await accountedCluster({ runnables, through });
  await cluster.client.create(Namespace, { metadata: { name } });
  await cluster.client.create(ServiceAccount, { metadata: { name: "default", namespace: name } });
});
afterEach(() => cluster.end());

const name = "going";
const hold = ["example.com/hold"];
const remove = () => cluster.client.delete(Namespace, { name });
const found = (): Promise<Namespace | undefined> =>
  ignoreNotFound(cluster.client.get(Namespace, { name }));
const conditions = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    ((await found())?.status.conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason} ${message}`,
    ]),
  );
const map = (named: string, finalizers: readonly string[] = []) =>
  cluster.client.create(ConfigMap, {
    metadata: { name: named, namespace: name, finalizers: [...finalizers] },
  });
const maps = async (): Promise<readonly (string | undefined)[]> => {
  const { items } = await cluster.client.list(ConfigMap, { namespace: name });
  return items.map(({ metadata }) => metadata.name);
};
const releaseMap = (named: string) =>
  cluster.client.patch(
    ConfigMap,
    { namespace: name, name: named },
    { merge: { metadata: { finalizers: null } } },
  );
const pod = (finalizers: readonly string[] = [], terminationGracePeriodSeconds = 30) =>
  cluster.client.create(Pod, {
    metadata: { name: "pod", namespace: name, finalizers: [...finalizers] },
    spec: {
      nodeName: "n1",
      terminationGracePeriodSeconds,
      containers: [{ name: "c", image: "i" }],
    },
  });
const podKey = { namespace: name, name: "pod" };
const deletions = () =>
  cluster.writes
    .filter(({ method }) => method === "DELETE")
    .map(({ path }) => path.replace(/.*namespaces\/going\//, ""));

test("a new namespace has the finalizer kubernetes", async () => {
  const { spec, status } = (await found()) ?? {};
  expect([spec?.finalizers, status?.phase]).toEqual([["kubernetes"], "Active"]);
  await cluster.advance("1h");
  expect(cluster.writes).toEqual([]);
});

test("five seconds after its deletion the content of a namespace is deleted, then the namespace", async () => {
  await map("a");
  const { status } = (await remove()) ?? {};
  expect(status?.phase).toBe("Terminating");
  await cluster.advance(4_999);
  expect(await maps()).toEqual(["a"]);
  await cluster.advance(1);
  expect(await found()).toBeUndefined();
  const finalized = cluster.writes.filter(({ path }) => path.endsWith("/finalize"));
  expect(finalized.map(({ method, body }) => [method, body])).toMatchObject([
    ["PUT", { metadata: { name }, spec: { finalizers: [] } }],
  ]);
  await cluster.advance("1h");
});

test("nothing can be created in a namespace that is being deleted", async () => {
  await remove();
  await expect(map("late")).rejects.toThrow(
    'configmaps "late" is forbidden: unable to create new content in namespace going because it is being terminated',
  );
});

test("resources are deleted as collections if possible, else object by object", async () => {
  await map("a");
  await map("b");
  instead = ({ method, path }) =>
    method === "DELETE" && path.endsWith("/configmaps") ? refused("MethodNotAllowed") : undefined;
  await remove();
  await cluster.advance("5s");
  expect(await found()).toBeUndefined();
  expect(deletions()).toEqual(
    expect.arrayContaining(["configmaps", "configmaps/a", "configmaps/b"]),
  );
  expect(deletions()).toContain("secrets");
  for (const { method, body } of cluster.writes)
    if (method === "DELETE") expect(body).toMatchObject({ propagationPolicy: "Background" });
});

describe("what is left", () => {
  test("finalizers of content are counted in a condition, and waited for", async () => {
    await map("a", [...hold, "example.com/more"]);
    await map("b", hold);
    await remove();
    await cluster.advance("5s");
    expect(await conditions()).toEqual({
      NamespaceDeletionDiscoveryFailure:
        "False ResourcesDiscovered All resources successfully discovered",
      NamespaceDeletionGroupVersionParsingFailure:
        "False ParsedGroupVersions All legacy kube types successfully parsed",
      NamespaceDeletionContentFailure:
        "False ContentDeleted All content successfully deleted, may be waiting on finalization",
      NamespaceContentRemaining:
        "True SomeResourcesRemain Some resources are remaining: configmaps. has 2 resource instances",
      NamespaceFinalizersRemaining:
        "True SomeFinalizersRemain Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances, example.com/more in 1 resource instances",
    });
    await releaseMap("a");
    await cluster.advance("8s");
    expect((await conditions()).NamespaceFinalizersRemaining).toContain(
      "example.com/hold in 1 resource instances",
    );
    await releaseMap("b");
    await cluster.advance("8s");
    expect(await found()).toBeUndefined();
  });

  test("unchanged conditions are not written again, and the namespace is checked every 8 seconds", async () => {
    await map("a", hold);
    await remove();
    await cluster.advance("1m");
    const status = cluster.writes.filter(({ path }) => path.endsWith("/status"));
    expect(status).toHaveLength(1);
    // Half of the 15 seconds that finalizers are given, and one more.
    const looks = deletions().filter((path) => path === "configmaps").length;
    await cluster.advance("80s");
    expect(deletions().filter((path) => path === "configmaps").length - looks).toBe(10);
  });

  test("pods are deleted first, and other content after them", async () => {
    await map("a");
    await pod();
    await remove();
    await cluster.advance("10s");
    expect((await cluster.client.get(Pod, podKey)).metadata.deletionTimestamp).toBeDefined();
    expect(await maps()).toEqual(["a"]);
    expect(new Set(deletions())).toEqual(new Set(["pods"]));
    expect(await conditions()).toMatchObject({
      NamespaceDeletionContentFailure:
        "False ContentDeleted All content successfully deleted, may be waiting on finalization",
      NamespaceContentRemaining: "False ContentRemoved All content successfully removed",
    });
    await cluster.client.delete(Pod, podKey, { gracePeriodSeconds: 0 });
    await cluster.advance("16s");
    expect(await found()).toBeUndefined();
  });

  test("while pods terminate, the namespace is retried after half of their grace period and a second", async () => {
    await pod([], 100);
    await remove();
    await cluster.advance("5s");
    const looks = () => deletions().length;
    // Its own change of the status is a reason to look again.
    await cluster.advance("5s");
    expect(looks()).toBe(2);
    await cluster.advance(50_999);
    expect(looks()).toBe(2);
    await cluster.advance(1);
    expect(looks()).toBe(3);
  });

  test("a pod that exceeds its grace period is an error", async () => {
    await pod([], 1);
    await remove();
    await cluster.advance("5s");
    expect((await conditions()).NamespaceDeletionContentFailure).toBe(
      "True ContentDeletionFailed Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: going for gvr: /v1, Resource=pods",
    );
    await cluster.client.delete(Pod, podKey, { gracePeriodSeconds: 0 });
    await cluster.advance("1m");
    expect(await found()).toBeUndefined();
  });

  test("the grace period of a terminated pod is not waited for", async () => {
    await pod(hold, 1000);
    await cluster.client.patch(
      Pod,
      podKey,
      { merge: { status: { phase: "Succeeded" } } },
      { subresource: "status" },
    );
    await remove();
    await cluster.advance("5s");
    await cluster.client.patch(Pod, podKey, { merge: { metadata: { finalizers: null } } });
    await cluster.advance("8s");
    expect(await found()).toBeUndefined();
  });

  test("a namespace with another finalizer is emptied and kept", async () => {
    const other = {
      metadata: { name: "kept" },
      spec: { finalizers: ["example.com/b", "kubernetes", "example.com/a"] },
    };
    await cluster.client.create(Namespace, other);
    await cluster.client.delete(Namespace, { name: "kept" });
    await cluster.advance("1m");
    const kept = await cluster.client.get(Namespace, { name: "kept" });
    expect(kept.spec.finalizers).toEqual(["example.com/a", "example.com/b"]);
    expect(kept.status.conditions).toHaveLength(5);
  });
});

describe("what goes wrong", () => {
  test("content that cannot be deleted does not keep other content", async () => {
    await map("a");
    instead = ({ method, path }) =>
      method === "DELETE" && /\/(secrets|jobs)$/.test(path) ? refused("InternalError") : undefined;
    await remove();
    await cluster.advance("5s");
    expect(await maps()).toEqual([]);
    expect((await conditions()).NamespaceDeletionContentFailure).toBe(
      "True ContentDeletionFailed Failed to delete all resource types, 2 remaining: broken, broken",
    );
    instead = () => undefined;
    await cluster.advance("1m");
    expect(await found()).toBeUndefined();
  });

  test("groups whose discovery fails are reported, and other content is deleted", async () => {
    await map("a");
    instead = stale;
    await remove();
    await cluster.advance("5s");
    expect(await maps()).toEqual([]);
    expect((await conditions()).NamespaceDeletionDiscoveryFailure).toBe(
      "True DiscoveryFailed Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: example.com/v1: stale GroupVersion discovery: example.com/v1",
    );
    await cluster.advance("10m");
    expect(await found()).toBeDefined();
    instead = () => undefined;
    await cluster.advance("1m");
    expect(await found()).toBeUndefined();
  });

  test("a failed discovery is reported in a condition", async () => {
    instead = ({ path }) => (path === "/apis" ? refused("InternalError") : undefined);
    await remove();
    await cluster.advance("5s");
    expect((await conditions()).NamespaceDeletionDiscoveryFailure).toBe(
      "True DiscoveryFailed broken",
    );
  });

  test("failures are retried after 5 ms, then with doubled delays up to a minute", async () => {
    const tries: number[] = [];
    instead = ({ method, path }) => {
      if (method !== "GET" || path !== `/api/v1/namespaces/${name}`) return undefined;
      tries.push(cluster.clock.now());
      return refused("InternalError");
    };
    await remove();
    const begun = cluster.clock.now();
    await cluster.advance("4m");
    const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
    expect(waits.slice(0, 14)).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 20480, 40960,
    ]);
    expect(waits.slice(14)).toEqual([60_000, 60_000]);
    // Every five minutes all is looked at.
    await cluster.advance("2m");
    expect(tries).toContain(begun + 305_000);
  });

  test("a conflict is retried with the latest version", async () => {
    let conflicts = 0;
    instead = ({ method, path }) =>
      method === "PUT" && path.endsWith("/finalize") && conflicts++ < 3
        ? refused("Conflict")
        : undefined;
    await remove();
    await cluster.advance("5s");
    expect(await found()).toBeUndefined();
    expect(conflicts).toBe(4);
  });

  test("a namespace that is already gone is no error", async () => {
    instead = ({ method, path }) => {
      if (method !== "PUT" || !path.endsWith("/finalize")) return undefined;
      return refused("NotFound", { kind: "namespaces", name });
    };
    await remove();
    await cluster.advance("5s");
    // Its own change of the status is a reason to look again; nothing else is.
    await cluster.advance("5s");
    requests.length = 0;
    await cluster.advance("2m");
    expect(requests.filter(({ path }) => path.endsWith("/finalize"))).toEqual([]);
  });
});

test("a namespace that was deleted before the start is deleted", async () => {
  await remove();
  await cluster.stop();
  const next = await accountedCluster({ runnables }, cluster);
  await next.advance("5s");
  expect(await found()).toBeUndefined();
  await next.stop();
});

function refused(
  reason: "InternalError" | "Conflict" | "NotFound" | "MethodNotAllowed",
  details?: object,
) {
  const { code } = new StatusError(reason, "broken");
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "broken",
    reason,
    code,
    ...(details && { details }),
  };
  return answer(code, status);
}

async function answer(code: number, value: object): ReturnType<Transport> {
  return {
    status: code,
    headers: { "content-type": "application/json" },
    value: async () => value,
    async *values() {},
    async *bytes() {},
  };
}

/** Discovery with a group whose server does not answer. */
function stale(request: TransportRequest): ReturnType<Transport> | undefined {
  if (request.path !== "/apis") return undefined;
  return cluster.transport(request).then(async (response) => {
    const list = (await response.value()) as { readonly items: readonly object[] };
    const group = {
      metadata: { name: "example.com" },
      versions: [{ version: "v1", freshness: "Stale" }],
    };
    const headers = { "content-type": response.headers["content-type"] };
    const value = async () => ({ ...list, items: [...list.items, group] });
    return { ...response, headers, value } as Awaited<ReturnType<Transport>>;
  });
}
