import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { realClock } from "../../platform/real-clock.ts";
import { createEtcdCluster } from "./etcd-cluster.ts";
import { etcdMethods } from "./etcd-methods.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

test("EtcdCluster: a call that times out rejects with the earlier error of the member", async () => {
  let connections = 0;
  // Closes the first connection, and never responds on later ones.
  const server = createServer((socket) => {
    if (connections++ === 0) socket.destroy();
    else closing.push(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const endpoint = `http://127.0.0.1:${port}`;
  const cluster = createEtcdCluster({ endpoints: [endpoint], clock: realClock });
  closing.push(() => cluster.close());
  const limits = { isRepeatable: true, attemptMs: 1500, totalMs: 2000 };
  const error: unknown = await cluster
    .call(etcdMethods.status, {}, limits)
    .catch((caught: unknown) => caught);
  expect(connections).toBe(2);
  expect(String(error)).not.toContain("deadline");
  expect(String(error)).toContain(cluster.failures().get(endpoint));
});
