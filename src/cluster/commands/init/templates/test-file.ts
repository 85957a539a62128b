import type { ProjectNames } from "../project-names.ts";

/** The tests of the operator. */
export const testFile = ({ name, kind, file, value }: ProjectNames): string =>
  `import { afterEach, beforeEach, expect, test } from "vitest";
import { Deployment } from "wherry/api";
import { isConditionTrue, webhookServer } from "wherry/controller";
import { type Cluster, startCluster } from "wherry/testing";
import { ${kind} } from "./${file}.ts";
import { ${value}Controller } from "./${file}-controller.ts";
import { createdBy, protectedBy, ${value}Webhook } from "./${file}-webhook.ts";

// A whole cluster in this process: API server, controllers, scheduler and a simulated node. Time stands
// still unless a test moves it, so that minutes take milliseconds.
let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ clock: "virtual", nodes: 1, crds: [${kind}] });
  const webhooks = webhookServer({ name: "${name}", webhooks: [${value}Webhook] });
  await cluster.run([${value}Controller, webhooks]);
});
afterEach(() => cluster.close());

const blue = (spec: object = {}) => ({
  metadata: { name: "blue" },
  spec: { image: "nginx:1.29", ...spec },
});
const get = () => cluster.client.get(${kind}, { name: "blue" });

test("it gets a deployment, and is available once the pods have been ready for a while", async () => {
  await cluster.client.create(${kind}, blue({ replicas: 3 }));
  await cluster.settled();
  expect(isConditionTrue((await get()).status?.conditions, "Available")).toBe(false);
  await cluster.advance("5s");
  const { status } = await get();
  expect(status?.availableReplicas).toBe(3);
  expect(isConditionTrue(status?.conditions, "Available")).toBe(true);
});

test("a change reaches the pods", async () => {
  await cluster.client.create(${kind}, blue());
  await cluster.settled();
  const merge = { spec: { image: "nginx:1.30" } };
  await cluster.client.patch(${kind}, { name: "blue" }, { merge });
  await cluster.settled();
  const deployment = await cluster.client.get(Deployment, { name: "blue" });
  expect(deployment.spec.template.spec?.containers[0]?.image).toBe("nginx:1.30");
});

test("a deployment that somebody deletes comes back, and goes with its owner", async () => {
  await cluster.client.create(${kind}, blue());
  await cluster.settled();
  await cluster.client.delete(Deployment, { name: "blue" });
  await cluster.settled();
  expect((await cluster.client.list(Deployment)).items).toHaveLength(1);
  await cluster.client.delete(${kind}, { name: "blue" });
  await cluster.advance("1m");
  expect((await cluster.client.list(Deployment)).items).toEqual([]);
});

test("the declaration has defaults and bounds", async () => {
  const { spec } = await cluster.client.create(${kind}, blue());
  expect(spec.replicas).toBe(1);
  const merge = { spec: { replicas: 11 } };
  await expect(cluster.client.patch(${kind}, { name: "blue" }, { merge })).rejects.toThrow(
    "spec.replicas in body should be less than or equal to 10",
  );
});

test("the webhook notes who created it, and keeps it while it is protected", async () => {
  const { metadata } = await cluster.client.create(${kind}, blue());
  expect(metadata.annotations?.[createdBy]).toBeTruthy();
  const protect = (value: string) => ({ metadata: { annotations: { [protectedBy]: value } } });
  await cluster.client.patch(${kind}, { name: "blue" }, { merge: protect("true") });
  await expect(cluster.client.delete(${kind}, { name: "blue" })).rejects.toThrow("protects it");
  await cluster.client.patch(${kind}, { name: "blue" }, { merge: protect("false") });
  await cluster.client.delete(${kind}, { name: "blue" });
});
`;
