import { expect, test } from "vitest";
import { startCluster } from "../../src/testing/start-cluster.ts";

const manifest = `
apiVersion: v1
kind: ConfigMap
metadata: { name: a }
data: { key: "1" }
---
apiVersion: v1
kind: List
items:
- { apiVersion: v1, kind: ConfigMap, metadata: { name: b, namespace: kube-system } }
- { apiVersion: v1, kind: Namespace, metadata: { name: c } }
`;

test("kubectl create: objects of a manifest are created one by one, lists by their items", async () => {
  await using cluster = await startCluster();
  const first = await cluster.kubectl("create -f -", { stdin: manifest });
  expect(first).toEqual({
    stdout: "configmap/a created\nconfigmap/b created\nnamespace/c created\n",
    stderr: "",
    exitCode: 0,
  });
  expect(await cluster.kubectl("create -f -", { stdin: manifest })).toEqual({
    stdout: "",
    stderr: [
      'Error from server (AlreadyExists): error when creating "STDIN": configmaps "a" already exists',
      'Error from server (AlreadyExists): error when creating "STDIN": configmaps "b" already exists',
      'Error from server (AlreadyExists): error when creating "STDIN": namespaces "c" already exists\n',
    ].join("\n"),
    exitCode: 1,
  });
  expect(await cluster.kubectl("create -n default -f -", { stdin: manifest })).toMatchObject({
    stderr: expect.stringContaining(
      `the namespace from the provided object "kube-system" does not match the namespace "default". You must pass '--namespace=kube-system' to perform this operation.`,
    ),
    exitCode: 1,
  });
});
