import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import type { TestAttributes } from "../attributes.test-support.ts";
import { rejectionOfNode } from "./node-requests.test-support.ts";

const rejected = (why: string) => `pods "a" is forbidden: ${why}`;
const owner = (more: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  name: "a",
  uid: "uid",
  controller: true,
  ...more,
});
const mirror = (spec: object = {}, ...ownerReferences: object[]): TestAttributes => ({
  metadata: {
    annotations: { "kubernetes.io/config.mirror": "hash" },
    ownerReferences: ownerReferences.length > 0 ? ownerReferences : [owner()],
  },
  spec: { nodeName: "a", ...spec },
});
const volumes = (...all: object[]) =>
  mirror({ volumes: all.map((one) => ({ name: "v", ...one })) });
const projected = (source: object) => volumes({ projected: { sources: [source] } });
const env = (valueFrom: object) => mirror({ containers: [{ name: "c", env: [{ valueFrom }] }] });
const only = (what: string) => rejected(`node "a" can only create pods with ${what} set to itself`);
const refers = (resource: string) =>
  rejected(`node "a" can not create pods that reference ${resource}`);

each<[what: string, given: TestAttributes, wanted: string | undefined]>([
  ["a mirror pod", mirror(), undefined],
  [
    "a pod",
    { spec: { nodeName: "a" } },
    rejected(
      'pod does not have "kubernetes.io/config.mirror" annotation, node "a" can only create mirror pods',
    ),
  ],
  ["a mirror pod of another node", mirror({ nodeName: "b" }), only("spec.nodeName")],
  ["a mirror pod of no node", mirror({ nodeName: undefined }), only("spec.nodeName")],
  [
    "without owner",
    { ...mirror(), metadata: { ...mirror().metadata, ownerReferences: [] } },
    only("an owner reference"),
  ],
  ["with two owners", mirror({}, owner(), owner()), only("a single owner reference")],
  ["of another node's", mirror({}, owner({ name: "b" })), only("an owner reference")],
  ["of an owner that is no node", mirror({}, owner({ kind: "Pod" })), only("an owner reference")],
  ["of another version", mirror({}, owner({ apiVersion: "v2" })), only("an owner reference")],
  [
    "not controlled",
    mirror({}, owner({ controller: false })),
    only("a controller owner reference"),
  ],
  [
    "that blocks its node",
    mirror({}, owner({ blockOwnerDeletion: true })),
    rejected('node "a" must not set blockOwnerDeletion on an owner reference'),
  ],
  [
    "of an earlier node",
    mirror({}, owner({ uid: "old" })),
    rejected("node a UID mismatch: expected old got uid"),
  ],
  ["with an account", mirror({ serviceAccountName: "s" }), refers("serviceaccounts")],
  ["with a secret", env({ secretKeyRef: { name: "s" } }), refers("secrets")],
  ["with a config map", env({ configMapKeyRef: { name: "c" } }), refers("configmaps")],
  [
    "with a claim of devices",
    mirror({ resourceClaims: [{ name: "r" }] }),
    refers("resourceclaims"),
  ],
  [
    "with a volume of the machine",
    volumes({ hostPath: { path: "/" } }, { emptyDir: {} }),
    undefined,
  ],
  ["with an optional secret", volumes({ secret: {} }), refers("secrets (via secret volumes)")],
  ["with a CSI volume", volumes({ csi: { driver: "d" } }), refers("csidrivers (via CSI volumes)")],
  [
    "with glusterfs",
    volumes({ glusterfs: { endpoints: "e", path: "p" } }),
    refers("endpoints (via glusterFS volumes)"),
  ],
  [
    "with a claim",
    volumes({ persistentVolumeClaim: { claimName: "c" } }),
    refers("persistentvolumeclaims"),
  ],
  [
    "with a claim of its own",
    volumes({ ephemeral: { volumeClaimTemplate: {} } }),
    refers("persistentvolumeclaims (via ephemeral volumes)"),
  ],
  [
    "with a token",
    projected({ serviceAccountToken: { path: "t" } }),
    refers("serviceaccounts (via projected volumes)"),
  ],
  ["with trust", projected({ clusterTrustBundle: { path: "t" } }), refers("clustertrustbundles")],
  ["with a certificate", projected({ podCertificate: {} }), refers("podcertificates")],
  ["with its own fields", projected({ downwardAPI: {} }), undefined],
  [
    "with an unknown source",
    projected({}),
    rejected(
      'error checking mirror pod for API references: unknown source for projected volume "v"',
    ),
  ],
  [
    "an update",
    { ...mirror(), operation: "UPDATE" },
    rejected('unexpected operation "UPDATE", node "a" can only create and delete mirror pods'),
  ],
  ["its removal", { operation: "DELETE", old: { spec: { nodeName: "a" } } }, undefined],
  [
    "the removal of another node's",
    { operation: "DELETE", old: { spec: { nodeName: "b" } } },
    rejected('node "a" can only delete pods with spec.nodeName set to itself'),
  ],
])("podsOfNode: a pod %s", async (_, given, wanted) => {
  const parts = await openParts();
  await write(parts, coreKind("Node"), "a", { metadata: { uid: "uid" } });
  expect(await rejectionOfNode(given, { parts })).toBe(wanted);
});

test("podsOfNode: a node that does not exist has no mirror pods", async () => {
  expect(await rejectionOfNode(mirror())).toBe('node "a" not found');
});

const status = (old: object, now: object): TestAttributes => ({
  operation: "UPDATE",
  subresource: "status",
  old: { metadata: {}, spec: { nodeName: "a" }, ...old },
  ...now,
});
const claims = (all: object) => ({ status: all });
const cannot = (what: string) => rejected(`node "a" cannot update ${what}`);

each<[what: string, given: TestAttributes, wanted: string | undefined]>([
  ["its pod", status({}, { more: { status: { phase: "Running" } } }), undefined],
  [
    "another node's pod",
    status({ spec: { nodeName: "b" } }, {}),
    rejected('node "a" can only update pod status for pods with spec.nodeName set to itself'),
  ],
  [
    "its pod, with a label",
    status({}, { metadata: { labels: { a: "b" } } }),
    cannot("labels through pod status"),
  ],
  [
    "its pod, with a claim",
    status({}, { more: claims({ resourceClaimStatuses: [{ name: "c" }] }) }),
    cannot("resource claim statues"),
  ],
  [
    "its pod, with a claim of extended resources",
    status(claims({ extendedResourceClaimStatus: { resourceClaimName: "c" } }), {}),
    cannot("extended resource claim status"),
  ],
  [
    "a new pod",
    { subresource: "status", spec: { nodeName: "a" } },
    rejected('unexpected operation "CREATE"'),
  ],
])("podStatuses: the status of %s", async (_, given, wanted) => {
  expect(await rejectionOfNode(given)).toBe(wanted);
});

each<[what: string, given: TestAttributes, wanted: string | undefined]>([
  ["its pod", {}, undefined],
  ["its pod, named by the eviction", { metadata: { name: "a" }, address: { name: "" } }, undefined],
  [
    "another node's pod",
    { address: { name: "b" } },
    'pods "b" is forbidden: node a can only evict pods with spec.nodeName set to itself',
  ],
  ["a pod that does not exist", { address: { name: "c" } }, 'pod "c" not found'],
  [
    "no pod",
    { metadata: { name: "" }, address: { name: "" } },
    'pods "Unknown" is forbidden: could not determine pod from request data',
  ],
  ["by an update", { operation: "UPDATE" }, rejected("unexpected operation UPDATE")],
])("podEvictions: of %s", async (_, given, wanted) => {
  const parts = await openParts();
  for (const name of ["a", "b"])
    await write(parts, coreKind("Pod"), name, { spec: { nodeName: name } });
  expect(await rejectionOfNode({ subresource: "eviction", ...given }, { parts })).toBe(wanted);
});
