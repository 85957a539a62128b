import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  coreKind,
  openParts,
  resources,
  type TestParts,
  write,
} from "../../verbs/verb-parts.test-support.ts";
import type { TestAttributes } from "../attributes.test-support.ts";
import { rejectionOfNode } from "./node-requests.test-support.ts";

const requests = resources.find("certificates.k8s.io", "v1beta1", "podcertificaterequests");
const request = (spec: object, more: TestAttributes = {}): TestAttributes => ({
  address: { kind: requests as never },
  spec: {
    ...{ nodeName: "a", nodeUID: "node-uid", podName: "own", podUID: "own" },
    ...{ serviceAccountName: "s", serviceAccountUID: "account-uid", ...spec },
  },
  ...more,
});
const forbidden = (why: string) =>
  `podcertificaterequests.certificates.k8s.io "a" is forbidden: ${why}`;

each<[what: string, given: TestAttributes, wanted: string | undefined]>([
  ["of its pod", request({}), undefined],
  [
    "of another node",
    request({ nodeName: "b" }),
    forbidden('PodCertificateRequest.Spec.NodeName="b", which is not the requesting node "a"'),
  ],
  [
    "with the UID of an earlier node",
    request({ nodeUID: "old" }),
    'PodCertificateRequest for pod "default/own" names node UID "old", inconsistent with the running node ("node-uid")',
  ],
  [
    "of a pod that does not exist",
    request({ podName: "none" }),
    'while retrieving pod "default/none" named in the PodCertificateRequest: pod "none" not found',
  ],
  [
    "of an earlier pod",
    request({ podUID: "old" }),
    'PodCertificateRequest for pod "default/own" contains pod UID ("old") which differs from running pod "own"',
  ],
  [
    "of a pod of another node",
    request({ podName: "other", podUID: "other" }),
    forbidden('pod "default/other" is not running on node "a" named in the PodCertificateRequest'),
  ],
  [
    "of a mirror pod",
    request({ podName: "mirror", podUID: "mirror" }),
    forbidden('pod "default/mirror" is a mirror pod'),
  ],
  [
    "with another service account",
    request({ serviceAccountName: "t" }),
    forbidden(
      'PodCertificateRequest for pod "default/own" contains serviceAccountName ("t") that differs from running pod ("s")',
    ),
  ],
  [
    "with the UID of an earlier service account",
    request({ serviceAccountUID: "old" }),
    'PodCertificateRequest for pod "default/own" names service account UID "old", which differs from the running service account ("account-uid")',
  ],
  [
    "that exists already",
    request({}, { operation: "UPDATE" }),
    forbidden("unexpected operation UPDATE"),
  ],
])("podCertificates: a request %s", async (_, given, wanted) => {
  expect(await rejectionOfNode(given, { parts: await withPods(["PodCertificateRequest"]) })).toBe(
    wanted,
  );
});

each<[features: readonly string[], wanted: string | undefined]>([
  [[], forbidden("PodCertificateRequest feature gate is disabled")],
  [["PodCertificateRequest"], undefined],
])("podCertificates: with features %j", async (features, wanted) => {
  expect(await rejectionOfNode(request({}), { parts: await withPods(features) })).toBe(wanted);
});

/** A server with a node, one of its pods, one of another node, and a mirror pod. */
async function withPods(features: readonly string[]): Promise<TestParts> {
  const opened = await openParts();
  const parts = {
    ...opened,
    environment: { ...opened.environment, features: new Set(features) },
  };
  await write(parts, coreKind("Node"), "a", { metadata: { uid: "node-uid" } });
  await write(parts, coreKind("ServiceAccount"), "s", { metadata: { uid: "account-uid" } });
  const pod = (name: string, nodeName: string, annotations = {}) =>
    write(parts, coreKind("Pod"), name, {
      metadata: { uid: name, annotations },
      spec: { nodeName, serviceAccountName: "s" },
    });
  await pod("own", "a");
  await pod("other", "b");
  await pod("mirror", "a", { "kubernetes.io/config.mirror": "x" });
  return parts;
}
