import { expect, test } from "vitest";
import { clusterWithNodes } from "../../nodes.test-support.ts";

const volumeWith = (image: object) => ({
  spec: { volumes: [{ name: "v", image }] },
  container: { volumeMounts: [{ name: "v", mountPath: "/v" }] },
});

test("the image of a volume is pulled before containers start, with events of the pod", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "p", ...volumeWith({ reference: "data:1" }) });
  const reasons = (await cluster.eventsOf("p")).map((event) => event.replace(/ in .*/, ""));
  expect(reasons).toEqual([
    'Pulling: Pulling image "data:1"',
    'Pulled: Successfully pulled image "data:1"',
    'Pulling: Pulling image "nginx"',
    'Pulled: Successfully pulled image "nginx"',
    "Created: Container created",
    "Started: Container started",
  ]);
  await cluster.end();
});

test("a container waits for the image of its volume", async () => {
  const cluster = await clusterWithNodes();
  const image = { reference: "data:1", pullPolicy: "Never" };
  await cluster.run({ name: "p", ...volumeWith(image) });
  const { containerStatuses: [status] = [] } = (await cluster.pod("p")).status;
  const message = 'Container image "data:1" is not present with pull policy of Never';
  expect(status?.state).toEqual({ waiting: { reason: "ErrImageNeverPull", message } });
  expect(await cluster.eventsOf("p")).toEqual([
    `ErrImageNeverPull: ${message}`,
    "Failed: Error: ErrImageNeverPull",
  ]);
  await cluster.end();
});
