import { expect, test } from "vitest";
import { startCluster } from "../../src/testing/start-cluster.ts";

const metrics = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: pods.metrics.k8s.io
  annotations: { api-approved.kubernetes.io: "unapproved, a test" }
spec:
  group: metrics.k8s.io
  scope: Namespaced
  names: { kind: PodMetrics, plural: pods }
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;
const pod = `
apiVersion: v1
kind: Pod
metadata: { name: a }
spec: { containers: [{ name: app, image: app }] }
`;

test("kubectl top pod: metrics of new pods are not available yet, those of others are missing", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { kubectl } = cluster;
  await kubectl("create -f -", { stdin: metrics });
  await cluster.advance("5s");
  await kubectl("create -f -", { stdin: pod });
  expect(await kubectl("top pods")).toMatchObject({
    stderr: "error: metrics not available yet\n",
    exitCode: 1,
  });
  await cluster.advance("150s");
  expect(await kubectl("top pods")).toMatchObject({
    stderr: expect.stringMatching(
      /^error: Metrics not available for pod default\/a, age: 2m30(\.\d+)?s\n$/,
    ),
    exitCode: 1,
  });
  expect(await kubectl("top pods -n kube-system")).toMatchObject({
    stderr: "No resources found in kube-system namespace.\n",
    exitCode: 0,
  });
});
