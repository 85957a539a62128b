import { expect, test } from "vitest";
import { context, resources } from "../../verbs/verb-parts.test-support.ts";
import { attributes, kindAt } from "../attributes.test-support.ts";
import { admissionRequest } from "./admission-request.ts";
import { convertObject } from "./convert-object.ts";
import { equivalentResources } from "./equivalent-resources.ts";

const user = { name: "u", uid: "1", groups: ["g"], extra: { e: ["x"] } };

test("admissionRequest: has the resource of the request, and the one that it is seen as", () => {
  const kind = kindAt("resource.k8s.io", "resourceclaims");
  const [seenAs = kind] = equivalentResources(resources, kind, "status");
  const request = attributes({
    operation: "UPDATE",
    address: { kind, namespace: "n" },
    subresource: "status",
    context: { ...context(), user, dryRun: true, options: { dryRun: ["All"] } },
  });
  expect(JSON.stringify(admissionRequest(request, seenAs))).toBe(
    JSON.stringify({
      kind: { group: "resource.k8s.io", version: seenAs.version, kind: "ResourceClaim" },
      resource: { group: "resource.k8s.io", version: seenAs.version, resource: "resourceclaims" },
      subResource: "status",
      requestKind: { group: "resource.k8s.io", version: "v1", kind: "ResourceClaim" },
      requestResource: { group: "resource.k8s.io", version: "v1", resource: "resourceclaims" },
      requestSubResource: "status",
      name: "a",
      namespace: "n",
      operation: "UPDATE",
      userInfo: { username: "u", uid: "1", groups: ["g"], extra: { e: ["x"] } },
      dryRun: true,
      options: { dryRun: ["All"], kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1" },
    }),
  );
});

test("admissionRequest: the kind of a connection is that of its options; a namespace is in itself", () => {
  const exec = attributes({
    operation: "CONNECT",
    subresource: "exec",
    more: { kind: "PodExecOptions" },
  });
  expect(admissionRequest(exec, exec.address.kind)).toMatchObject({
    kind: { group: "", version: "v1", kind: "PodExecOptions" },
    requestKind: { group: "", version: "v1", kind: "PodExecOptions" },
    options: null,
  });
  const namespace = attributes({ kind: "Namespace", address: { namespace: "" } });
  expect(admissionRequest(namespace, namespace.address.kind)).toMatchObject({
    name: "a",
    namespace: "a",
  });
});

test("convertObject: an object is read as another version of its kind", async () => {
  const from = kindAt("autoscaling", "horizontalpodautoscalers");
  const to = resources.find("autoscaling", "v2", "horizontalpodautoscalers") ?? from;
  const object = {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: { name: "a" },
    spec: { maxReplicas: 2, targetCPUUtilizationPercentage: 50 },
  };
  const converted = await convertObject(object, { from, to });
  expect(converted).toMatchObject({ apiVersion: "autoscaling/v2" });
  expect(converted.spec).toHaveProperty("metrics");
  expect((await convertObject(converted, { from: to, to: from })).spec).toEqual(
    expect.objectContaining(object.spec),
  );
});
