import { afterEach, beforeEach, expect, test } from "vitest";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { type RunningCluster, runningCluster } from "../running.test-support.ts";
import { serviceAccountController } from "./service-account-controller.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(serviceAccountController);
});
afterEach(() => cluster.end());

const accountsOf = async (namespace: string) => {
  await cluster.settled();
  const { items } = await cluster.client.list(ServiceAccount, { namespace });
  return items.map(({ metadata }) => metadata.name);
};

test("every namespace gets its account, existing ones too", async () => {
  expect(await accountsOf("kube-system")).toEqual(["default"]);
  await cluster.client.create(Namespace, { metadata: { name: "a" } });
  expect(await accountsOf("a")).toEqual(["default"]);
});

test("a deleted account is created again, except in a namespace that is being deleted", async () => {
  await cluster.client.create(Namespace, { metadata: { name: "a" } });
  expect(await accountsOf("a")).toEqual(["default"]);
  await cluster.client.delete(ServiceAccount, { namespace: "a", name: "default" });
  expect(await accountsOf("a")).toEqual(["default"]);
  await cluster.client.delete(Namespace, { name: "a" });
  await cluster.client.delete(ServiceAccount, { namespace: "a", name: "default" });
  expect(await accountsOf("a")).toEqual([]);
});
