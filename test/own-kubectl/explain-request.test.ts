import { expect, test } from "vitest";
import { startCluster } from "../../src/testing/start-cluster.ts";

test("kubectl --explain-request: what writes is printed before it is sent, what reads is not", async () => {
  await using cluster = await startCluster();
  const { kubectl } = cluster;
  const created = await kubectl("create configmap c --from-literal=a=1 --explain-request");
  expect(created.stdout).toBe("configmap/c created\n");
  expect(created.stderr).toMatch(
    /^POST https?:\/\/\S+\/api\/v1\/namespaces\/default\/configmaps\?fieldManager=kubectl-create&fieldValidation=Strict\nContent-Type: application\/json\n\n\{\n {2}"apiVersion": "v1",\n/,
  );
  expect(await kubectl("get configmap c -o name --explain-request")).toEqual({
    stdout: "configmap/c\n",
    stderr: "",
    exitCode: 0,
  });
  const labelled = await kubectl("label configmap c x=y --explain-request");
  expect(labelled.stderr).toContain(
    'Content-Type: application/merge-patch+json\n\n{\n  "metadata": {\n    "labels": {\n      "x": "y"\n',
  );
  const dry = await kubectl("label configmap c x=z --overwrite --dry-run=client --explain-request");
  expect(dry.stderr).toBe("");
});

test("kubectl --explain-request: the data of secrets is not printed", async () => {
  await using cluster = await startCluster();
  const { kubectl } = cluster;
  const manifest = "{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: hidden}}";
  const encoded = Buffer.from("hidden").toString("base64");
  const lines = [
    "create secret generic t --from-literal=a=hidden",
    "apply -f -",
    "apply -f - --server-side --force-conflicts",
    `patch secret s --type=json -p [{"op":"add","path":"/data/b","value":"${encoded}"}]`,
    `patch secret s -p {"data":{"b":"${encoded}"}}`,
  ];
  for (const line of lines) {
    const { stderr, exitCode } = await kubectl([...line.split(" "), "--explain-request"], {
      stdin: manifest,
    });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^(POST|PATCH) /m);
    expect(stderr).toContain("***");
    expect(stderr).not.toContain("hidden");
    expect(stderr).not.toContain(encoded);
  }
});
