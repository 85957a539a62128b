import { Binding } from "../../api/core/v1/pod/binding.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { Client } from "../../client/client.ts";
import { testImage } from "../../engine/engine.test-support.ts";

const namespace = "default";

/** Creates a claim with one request, which has a device of a driver. */
export async function createClaim(
  client: Client,
  name: string,
  { driver, pods }: { readonly driver: string; readonly pods: readonly Pod[] },
): Promise<ResourceClaim> {
  const requests = [{ name: "one", exactly: { deviceClassName: "example" } }];
  await client.create(ResourceClaim, {
    metadata: { name, namespace },
    spec: { devices: { requests } },
  } as never);
  const results = [{ request: "one", driver, pool: "pool", device: `device-${name}` }];
  const reservedFor = pods.map(({ metadata }) => ({
    ...{ resource: "pods", name: metadata.name, uid: metadata.uid },
  }));
  const status = { allocation: { devices: { results } }, reservedFor };
  return client.patch(
    ResourceClaim,
    { name, namespace },
    { merge: { status } as never },
    { subresource: "status" },
  );
}

/** Creates a pod that no scheduler binds. Its container has a claim. */
export const createPod = (client: Client, name: string, claim: string, script: string) =>
  client.create(Pod, {
    metadata: { name, namespace },
    spec: {
      schedulerName: "nobody",
      terminationGracePeriodSeconds: 1,
      restartPolicy: "Never",
      containers: [
        {
          ...{ name: "c", image: testImage, command: ["sh", "-c", script] },
          resources: { claims: [{ name: "mine" }] },
        },
      ],
      resourceClaims: [{ name: "mine", resourceClaimName: claim }],
    },
  } as never);

/** Binds a pod to a node. */
export const bind = (client: Client, name: string, node: string) =>
  client.subresource(Pod, { name, namespace }, "binding").create(Binding, {
    metadata: { name, namespace },
    target: { kind: "Node", name: node },
  } as never);
