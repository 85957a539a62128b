import { expect, test } from "vitest";
import { openServer, send, wallClock } from "../in-process.test-support.ts";
import type { AnyKind } from "../objects/object.ts";
import { resources } from "../verbs/verb-parts.test-support.ts";
import { componentStatuses } from "./component-statuses.ts";

test("componentstatuses: the store is healthy, components that do not run are not", async () => {
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

test("componentstatuses: selectors are applied, although there are no labels", async () => {
  const server = await openServer(wallClock);
  const names = async (query: string) => {
    const { text } = await send(server, { path: `/api/v1/componentstatuses?${query}` });
    const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  };
  expect(await names("fieldSelector=metadata.name%3Dscheduler")).toEqual(["scheduler"]);
  expect(await names("labelSelector=a%3Db")).toEqual([]);
  server.close();
});

test("componentstatuses: an error of the store is reported", async () => {
  const kind = resources.findKind("", "v1", "ComponentStatus") as AnyKind;
  const store = { currentRevision: () => Promise.reject(new Error("gone")) };
  const wanted = { namespace: "", name: "etcd-0" };
  const found = await componentStatuses(store as never).get?.(kind, wanted as never);
  const { conditions } = found as never as { conditions: object[] };
  expect(conditions).toEqual([{ type: "Healthy", status: "False", error: "gone" }]);
});
