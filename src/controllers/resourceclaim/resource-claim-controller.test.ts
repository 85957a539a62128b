import { expect, onTestFinished, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Event } from "../../api/events/v1/event.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { resourceClaimModule } from "./resource-claim-module.ts";

const namespace = "default";
const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };

async function start() {
  const cluster = await accountedCluster({ runnables: partsOf(resourceClaimModule) });
  onTestFinished(() => cluster.end());
  const { client, settled } = cluster;
  const addTemplate = (name: string) =>
    client.create(ResourceClaimTemplate, {
      metadata: { name, namespace },
      spec: {
        metadata: { labels: { made: "yes" }, annotations: { note: "n" } },
        spec: { devices },
      },
    });
  const addPod = (
    name: string,
    resourceClaims: NonNullable<Pod["spec"]["resourceClaims"]>,
    nodeName?: string,
  ) =>
    client.create(Pod, {
      metadata: { name, namespace },
      spec: {
        containers: [{ name: "c", image: "i" }],
        resourceClaims,
        ...(nodeName !== undefined && { nodeName }),
      },
    });
  const claims = async () => {
    await settled();
    return (await client.list(ResourceClaim, { namespace })).items;
  };
  const pod = async (name: string) => {
    await settled();
    return client.get(Pod, { namespace, name });
  };
  const setPhase = (name: string, phase: string) =>
    client.patch(
      Pod,
      { namespace, name },
      { merge: { status: { phase } } },
      { subresource: "status" },
    );
  /** Allocates a claim for pods, as the scheduler does. */
  const allocate = async (name: string, ...consumers: Pod[]) => {
    const key = { namespace, name };
    const finalizers = ["resource.kubernetes.io/delete-protection"];
    await client.patch(ResourceClaim, key, { merge: { metadata: { finalizers } } });
    const results = [{ request: "r", driver: "d.example.com", pool: "p", device: "x" }];
    const reservedFor = consumers.map(({ metadata }) => ({
      resource: "pods",
      name: metadata.name ?? "",
      uid: metadata.uid ?? "",
    }));
    const status = { allocation: { devices: { results } }, reservedFor };
    await client.patch(ResourceClaim, key, { merge: { status } }, { subresource: "status" });
  };
  return { ...cluster, addTemplate, addPod, claims, pod, setPhase, allocate };
}

const gpu = { name: "gpu", resourceClaimTemplateName: "t" };
const nic = { name: "nic", resourceClaimTemplateName: "t" };

test("a pod gets the claims of its templates, once", async () => {
  const { addTemplate, addPod, claims, pod, advance, writes } = await start();
  await addTemplate("t");
  await addPod("web", [gpu, nic, { name: "own", resourceClaimName: "shared" }]);
  const made = await claims();
  const { metadata, status } = await pod("web");
  expect(made.map((claim) => claim.metadata)).toMatchObject(
    ["gpu", "nic"].map((name) => ({
      generateName: `web-${name}-`,
      labels: { made: "yes" },
      annotations: { note: "n", "resource.kubernetes.io/pod-claim-name": name },
      ownerReferences: [
        { apiVersion: "v1", kind: "Pod", name: "web", uid: metadata.uid, controller: true },
      ],
    })),
  );
  expect(made[0]?.spec).toMatchObject({ devices: { requests: [{ name: "r" }] } });
  expect(status.resourceClaimStatuses).toEqual(
    made.map((claim, i) => ({
      name: ["gpu", "nic"][i],
      resourceClaimName: claim.metadata.name,
    })),
  );
  expect(writes.length).toBe(3);
  await advance("1h");
  expect(writes.length).toBe(3);
});

test("a claim that was deleted is made again, and the others keep their place in the status", async () => {
  const { client, addTemplate, addPod, claims, pod } = await start();
  await addTemplate("t");
  await addPod("web", [gpu, nic]);
  const [first, second] = await claims();
  await client.delete(ResourceClaim, { namespace, name: first?.metadata.name ?? "" });
  const now = await claims();
  expect(now.length).toBe(2);
  expect(now.map(({ metadata }) => metadata.uid)).toContain(second?.metadata.uid);
  const names = (await pod("web")).status.resourceClaimStatuses?.map(
    (one) => one.resourceClaimName,
  );
  expect(names?.sort()).toEqual(now.map(({ metadata }) => metadata.name).sort());
});

test("without its template a pod waits, with an event", async () => {
  const { client, addTemplate, addPod, claims, settled, advance } = await start();
  await addPod("web", [gpu]);
  await settled();
  await advance("1s");
  const { items } = await client.list(Event, { namespace });
  expect(items[0]).toMatchObject({
    type: "Warning",
    reason: "FailedResourceClaimCreation",
  });
  expect(items[0]?.note).toBe(
    'PodResourceClaim gpu: resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found',
  );
  await addTemplate("t");
  expect((await claims()).length).toBe(1);
});

test("an allocated claim is reserved for a pod that is already on a node", async () => {
  const { client, addPod, claims, allocate } = await start();
  await client.create(ResourceClaim, {
    metadata: { name: "shared", namespace },
    spec: { devices },
  });
  await allocate("shared");
  const web = await addPod("web", [{ name: "own", resourceClaimName: "shared" }], "node");
  const [claim] = await claims();
  expect(claim?.status?.reservedFor).toEqual([
    { resource: "pods", name: "web", uid: web.metadata.uid },
  ]);
});

test("a shared claim is released pod by pod, and deallocated after the last", async () => {
  const { client, addPod, claims, allocate, setPhase } = await start();
  await client.create(ResourceClaim, {
    metadata: { name: "shared", namespace },
    spec: { devices },
  });
  const own = [{ name: "own", resourceClaimName: "shared" }];
  const [a, b] = [await addPod("a", own, "node"), await addPod("b", own, "node")];
  await allocate("shared", a, b);
  await setPhase("a", "Succeeded");
  const reservedFor = async () => (await claims())[0]?.status?.reservedFor?.map(({ name }) => name);
  expect(await reservedFor()).toEqual(["b"]);
  await client.delete(Pod, { namespace, name: "b" }, { gracePeriodSeconds: 0 });
  const [claim] = await claims();
  expect(claim?.status?.allocation).toBeUndefined();
  expect(claim?.status?.reservedFor ?? []).toEqual([]);
  expect(claim?.metadata.finalizers).toBeUndefined();
});

test("a claim that was made for a pod is deleted when the pod is done", async () => {
  const { addTemplate, addPod, claims, pod, allocate, setPhase } = await start();
  await addTemplate("t");
  await addPod("web", [gpu], "node");
  const [claim] = await claims();
  await allocate(claim?.metadata.name ?? "", await pod("web"));
  expect((await claims())[0]?.status?.reservedFor?.length).toBe(1);
  await setPhase("web", "Failed");
  expect(await claims()).toEqual([]);
});

test("a reservation of a pod that does not exist is removed, one of an unknown kind is kept", async () => {
  const { client, claims, allocate } = await start();
  await client.create(ResourceClaim, {
    metadata: { name: "shared", namespace },
    spec: { devices },
  });
  await allocate("shared");
  const unknown = { apiGroup: "example.com", resource: "jobs", name: "j", uid: "u1" };
  const gone = { resource: "pods", name: "gone", uid: "u2" };
  await client.patch(
    ResourceClaim,
    { namespace, name: "shared" },
    { merge: { status: { reservedFor: [unknown, gone] } } },
    { subresource: "status" },
  );
  expect((await claims())[0]?.status?.reservedFor).toEqual([unknown]);
});
