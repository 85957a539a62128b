import { expect, test } from "vitest";
import { openServer, send, wallClock } from "./in-process.test-support.ts";

test("componentstatuses: the store is well, and what does not run is not", async () => {
  const server = await openServer(wallClock);
  const { text } = await send(server, { path: "/api/v1/componentstatuses" });
  const { kind, metadata, items } = JSON.parse(text) as {
    kind: string;
    metadata: object;
    items: { metadata: { name: string }; conditions: { status: string }[] }[];
  };
  expect([kind, metadata]).toEqual(["ComponentStatusList", {}]);
  expect(items.map((item) => [item.metadata.name, item.conditions[0]?.status])).toEqual([
    ["controller-manager", "False"],
    ["scheduler", "False"],
    ["etcd-0", "True"],
  ]);
  const one = await send(server, { path: "/api/v1/componentstatuses/etcd-0" });
  expect(JSON.parse(one.text)).toMatchObject({
    kind: "ComponentStatus",
    metadata: { name: "etcd-0" },
  });
  const none = await send(server, { path: "/api/v1/componentstatuses/x" });
  expect([none.status, (JSON.parse(none.text) as { message: string }).message]).toEqual([
    404,
    'componentstatus "x" not found',
  ]);
  server.close();
});
