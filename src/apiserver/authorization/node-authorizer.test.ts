import { beforeAll, expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { ApiObject } from "../objects/object.ts";
import { Query } from "../request/query.ts";
import { parsePath } from "../request/request-info.ts";
import { openParts, resources, type TestParts } from "../verbs/verb-parts.test-support.ts";
import { requestAttributes } from "./attributes.ts";
import { asked } from "./cluster-policy.test-support.ts";
import { nodeAuthorizer } from "./node-authorizer.ts";

const n1 = { name: "system:node:n1", groups: ["system:nodes"] };

let parts: TestParts;
beforeAll(async () => {
  parts = await openParts();
  await write("pods", {
    metadata: { namespace: "a", name: "web" },
    spec: {
      nodeName: "n1",
      serviceAccountName: "runner",
      imagePullSecrets: [{ name: "pull" }],
      containers: [
        {
          name: "c",
          image: "i",
          env: [{ name: "E", valueFrom: { configMapKeyRef: { name: "env", key: "k" } } }],
        },
      ],
      volumes: [
        { name: "s", secret: { secretName: "mounted" } },
        { name: "d", persistentVolumeClaim: { claimName: "data" } },
        { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      ],
      resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }],
    },
    status: {},
  });
  await write("pods", {
    metadata: {
      namespace: "a",
      name: "mirror",
      annotations: { "kubernetes.io/config.mirror": "x" },
    },
    spec: { nodeName: "n1", containers: [], imagePullSecrets: [{ name: "greedy" }] },
    status: {},
  });
  await write("pods", {
    metadata: { namespace: "a", name: "elsewhere" },
    spec: { nodeName: "n2", containers: [], imagePullSecrets: [{ name: "others" }] },
    status: {},
  });
  await write("persistentvolumeclaims", {
    metadata: { namespace: "a", name: "data" },
    spec: { volumeName: "disk" },
    status: {},
  });
  await write("persistentvolumes", {
    metadata: { name: "disk" },
    spec: {
      claimRef: { namespace: "a", name: "data" },
      csi: {
        driver: "d",
        volumeHandle: "v",
        nodeStageSecretRef: { namespace: "storage", name: "stage" },
        controllerPublishSecretRef: { namespace: "storage", name: "attach" },
      },
    },
    status: {},
  });
  await write(
    "volumeattachments",
    { metadata: { name: "va" }, spec: { nodeName: "n1" } },
    "storage.k8s.io",
  );
  await write(
    "podcertificaterequests",
    { metadata: { namespace: "a", name: "own" }, spec: { nodeName: "n1" } },
    "certificates.k8s.io",
    "v1beta1",
  );
});

async function write(plural: string, object: object, group = "", version = "v1"): Promise<void> {
  const kind = resources.find(group, version, plural);
  if (!kind) throw new Error(`there are no ${plural}`);
  const { metadata } = object as { metadata: { name: string; namespace?: string } };
  const whole = { kind: kind.kind, apiVersion: group === "" ? "v1" : `${group}/v1`, ...object };
  const address = { kind, namespace: metadata.namespace ?? "", name: metadata.name };
  await parts.committer.put(address, { object: whole as unknown as ApiObject, ifRevision: 0 });
}

const unrelated = "no relationship found between node 'n1' and this object";

each<[request: string, reason: string | true]>([
  ["get secrets named pull in a", true],
  ["watch secrets named mounted in a", true],
  ["get secrets named stage in storage", true],
  ["get secrets named attach in storage", unrelated],
  ["get secrets named others in a", unrelated],
  ["get secrets named greedy in a", unrelated],
  ["get secrets named pull in b", unrelated],
  ["list secrets in a", "No Object name found"],
  ["list secrets", "can only read namespaced object of this type"],
  ["delete secrets named pull in a", "can only read resources of this type"],
  ["get configmaps named env in a", true],
  ["get configmaps named other in a", unrelated],
  ["get persistentvolumeclaims named data in a", true],
  ["get persistentvolumeclaims named web-scratch in a", true],
  ["get persistentvolumeclaims named web-s in a", unrelated],
  ["list persistentvolumeclaims in a", "can only get individual resources of this type"],
  ["update persistentvolumeclaims/status named data in a", true],
  ["get persistentvolumeclaims/status named data in a", "can only get/update/patch this type"],
  ["get persistentvolumes named disk", true],
  ["get persistentvolumes named other", unrelated],
  ["get resourceclaims.resource.k8s.io named gpu in a", true],
  ["get volumeattachments.storage.k8s.io named va", true],
  ["get volumeattachments.storage.k8s.io named vb", unrelated],
  ["get serviceaccounts named runner in a", true],
  ["create serviceaccounts/token named runner in a", true],
  ["create serviceaccounts/token named other in a", unrelated],
  [
    "create serviceaccounts named runner in a",
    "can only create token subresource of serviceaccount",
  ],
  [
    "update serviceaccounts named runner in a",
    "can only create tokens for individual service accounts",
  ],
  ["update leases.coordination.k8s.io named n1 in kube-node-lease", true],
  ["create leases.coordination.k8s.io in kube-node-lease", true],
  [
    "update leases.coordination.k8s.io named n2 in kube-node-lease",
    "can only access node lease with the same name as the requesting node",
  ],
  [
    "update leases.coordination.k8s.io named n1 in a",
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  [
    "list leases.coordination.k8s.io in kube-node-lease",
    "can only get, create, update, patch, or delete a node lease",
  ],
  ["get csinodes.storage.k8s.io named n1", true],
  [
    "get csinodes.storage.k8s.io named n2",
    "can only access CSINode with the same name as the requesting node",
  ],
  ["list csinodes.storage.k8s.io", "can only get, create, update, patch, or delete a CSINode"],
  ["create resourceslices.resource.k8s.io", true],
  [
    "list resourceslices.resource.k8s.io",
    "can only list/watch/deletecollection resourceslices with nodeName field selector",
  ],
  ["get resourceslices.resource.k8s.io named s", unrelated],
  ["get nodes named n1", true],
  ["create nodes", true],
  ["patch nodes/status named n1", true],
  ["delete nodes named n1", ""],
  ["list nodes", "node 'n1' cannot read all nodes, only its own Node object"],
  ["get nodes named n2", "node 'n1' cannot read 'n2', only its own Node object"],
  ["get pods named web in a", true],
  ["get pods named elsewhere in a", unrelated],
  ["list pods in a", "can only list/watch pods with spec.nodeName field selector"],
  ["patch pods/status named web in a", true],
  ["create pods/eviction named web in a", true],
  ["get pods/log named web in a", ""],
  ["create events in a", true],
  ["list services", true],
  ["list deployments.apps", ""],
])("node-authorizer: may a node %s? %s", async (request, reason) => {
  const expected =
    reason === true ? { verdict: "allow", reason: "" } : { verdict: "no opinion", reason };
  expect(await parts.access.authorizer.authorize(asked(n1, request))).toEqual(expected);
});

each<[request: string, reason: string | true]>([
  ["create podcertificaterequests.certificates.k8s.io in a", true],
  ["get podcertificaterequests.certificates.k8s.io named own in a", true],
  ["get podcertificaterequests.certificates.k8s.io named none in a", unrelated],
  [
    "list podcertificaterequests.certificates.k8s.io",
    "can only list/watch podcertificaterequests with nodeName field selector",
  ],
  [
    "delete podcertificaterequests.certificates.k8s.io named own in a",
    "nodes may not delete podcertificaterequests",
  ],
  [
    "get podcertificaterequests.certificates.k8s.io/status named own in a",
    "nodes may not access the status subresource of PodCertificateRequests",
  ],
])("node-authorizer: with pod certificates, may a node %s? %s", async (request, reason) => {
  const authorizer = nodeAuthorizer(parts.access.policy.nodes, new Set(["PodCertificateRequest"]));
  const expected =
    reason === true ? { verdict: "allow", reason: "" } : { verdict: "no opinion", reason };
  expect(await authorizer.authorize(asked(n1, request))).toEqual(expected);
  expect(await parts.access.authorizer.authorize(asked(n1, request))).toEqual({
    verdict: "no opinion",
    reason: "",
  });
});

each<[query: string, verdict: string]>([
  ["fieldSelector=spec.nodeName%3Dn1", "allow"],
  ["fieldSelector=spec.nodeName%3Dn2", "no opinion"],
  ["fieldSelector=spec.nodeName%21%3Dn1", "no opinion"],
  ["fieldSelector=metadata.name%3Dweb", "no opinion"],
])("node-authorizer: all pods with %s: %s", async (text, verdict) => {
  const path = "/api/v1/pods";
  const target = parsePath(path);
  if (!target) throw new Error("no target");
  const attributes = requestAttributes(
    { method: "GET", path },
    { user: n1, target, query: new Query(text) },
  );
  expect((await parts.access.authorizer.authorize(attributes)).verdict).toBe(verdict);
});

test("it has no opinion about other users, and rejects a node without a name", async () => {
  const nobody = { name: "system:node:", groups: ["system:nodes"] };
  const answer = await parts.access.authorizer.authorize(asked(nobody, "get nodes named n1"));
  expect(answer.reason).toBe('unknown node for user "system:node:"');
  const stranger = { name: "system:node:n1", groups: [] };
  const other = await parts.access.authorizer.authorize(asked(stranger, "get nodes named n1"));
  expect(other).toEqual({ verdict: "no opinion", reason: "" });
});
