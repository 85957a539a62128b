import { expect, test } from "vitest";
import { openCluster } from "./cluster.test-support.ts";

const path = "/api/v1/namespaces/kube-node-lease";

test("system namespaces: a deleted one is created again", async () => {
  const cluster = await openCluster();
  const { body } = await cluster.remove(path);
  expect(body.status.phase).toEqual("Terminating");
  // The namespace controller does this when a namespace is empty.
  const emptied = { ...body, spec: { finalizers: [] } };
  await cluster.ask({ method: "PUT", path: `${path}/finalize`, body: emptied });
  const isNew = (answer: { body: typeof body }) =>
    answer.body.metadata?.uid !== undefined && answer.body.metadata.uid !== body.metadata.uid;
  const { body: again } = await cluster.until(path, isNew);
  expect(again.status.phase).toEqual("Active");
});

test("system namespaces: a deleted namespace of a user is not created again", async () => {
  const cluster = await openCluster();
  const before = await cluster.names("/api/v1/namespaces");
  await cluster.ask({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { metadata: { name: "mine" } },
  });
  const { body } = await cluster.remove("/api/v1/namespaces/mine");
  const emptied = { ...body, spec: { finalizers: [] } };
  await cluster.ask({ method: "PUT", path: "/api/v1/namespaces/mine/finalize", body: emptied });
  await cluster.settle();
  expect(await cluster.names("/api/v1/namespaces")).toEqual(before);
});
