import { expect, onTestFinished, test } from "vitest";
import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import { SeededRandom } from "../../../base/random.ts";
import { startCluster } from "../../../testing/start-cluster.ts";
import { aPodInfo } from "../../framework/framework.test-support.ts";
import { reserveClaim } from "./reserve-claim.ts";

const key = { namespace: "default", name: "c" };
const allocation = {
  devices: { results: [{ request: "r", driver: "x.org", pool: "p", device: "d" }] },
};

/** A claim, and an attempt to reserve it as it was when it was created. */
async function aClaim() {
  const cluster = await startCluster({ clock: "virtual", namespace: "default", seed: 1 });
  onTestFinished(cluster.close);
  const { client, clock } = cluster;
  const create = () =>
    client.create(ResourceClaim, {
      metadata: { ...key, finalizers: ["example.com/first"] },
      spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "any" } }] } },
    });
  const claim = await create();
  const random = new SeededRandom(1);
  const reserve = async (given: typeof allocation | undefined) => {
    const { signal } = new AbortController();
    const handle = { client, clock, random } as never;
    const reserved = reserveClaim(handle, claim, { pod: aPodInfo("p"), allocation: given, signal });
    reserved.catch(() => undefined);
    await cluster.advance("5s");
    return reserved;
  };
  const patch = (merge: object, subresource?: "status") =>
    client.patch(ResourceClaim, key, { merge: merge as never }, subresource && { subresource });
  return { client, create, reserve, patch };
}

test("reserveClaim: a claim that has changed is read again, and keeps what others wrote", async () => {
  const { reserve, patch } = await aClaim();
  await patch({ metadata: { labels: { color: "red" } } });
  const { metadata, status } = await reserve(allocation);
  expect(metadata.labels).toEqual({ color: "red" });
  expect(metadata.finalizers).toEqual([
    "example.com/first",
    "resource.kubernetes.io/delete-protection",
  ]);
  expect(status).toMatchObject({
    allocation,
    reservedFor: [{ resource: "pods", name: "p", uid: "p" }],
  });
});

test("reserveClaim: a claim that somebody else has allocated, freed or deleted is lost", async () => {
  const { client, create, reserve, patch } = await aClaim();
  await patch({ status: { allocation } }, "status");
  await expect(reserve(allocation)).rejects.toThrow(
    "claim default/c got allocated elsewhere in the meantime",
  );
  await patch({ status: { allocation: null } }, "status");
  await expect(reserve(undefined)).rejects.toThrow(
    "claim default/c got deallocated elsewhere in the meantime",
  );
  await client.delete(ResourceClaim, key);
  await expect(reserve(allocation)).rejects.toThrow("claim default/c got deleted in the meantime");
  await patch({ metadata: { finalizers: null } });
  await expect(reserve(allocation)).rejects.toThrow('resourceclaims.resource.k8s.io "c" not found');
  await create();
  await expect(reserve(allocation)).rejects.toThrow("claim default/c got deleted in the meantime");
});
