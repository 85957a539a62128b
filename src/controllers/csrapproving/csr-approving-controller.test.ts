import { expect, onTestFinished, test } from "vitest";
import { testRequest } from "../../../test/certificates.ts";
import { each } from "../../../test/each.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import type { Client } from "../../client/client.ts";
import type { Impersonation } from "../../client/impersonated-user.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { csrApprovingModule } from "./csr-approving-module.ts";

const organizations = ["system:nodes"];
const kubeletRequest = testRequest({ commonName: "system:node:n", organizations });
const usages = ["digital signature", "client auth"];
const node: Impersonation = { user: "system:node:n", groups: ["system:nodes"] };
const joining: Impersonation = { user: "system:bootstrap:abcdef", groups: ["joining"] };

async function start() {
  const cluster = await accountedCluster({ runnables: partsOf(csrApprovingModule) });
  onTestFinished(() => cluster.end());
  return cluster;
}

/** Lets a group create certificate requests and one of their subresources. */
async function allow(client: Client, group: string, purpose: string): Promise<void> {
  const subjects = [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: group }];
  const prefix = "system:certificates.k8s.io:certificatesigningrequests:";
  for (const name of ["system:node-bootstrapper", ...(purpose ? [`${prefix}${purpose}`] : [])])
    await client.create(ClusterRoleBinding, {
      metadata: { name: `${name}:${group}` },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects,
    });
}

const create = (client: Client, spec: Partial<CertificateSigningRequest["spec"]> = {}) =>
  client.create(CertificateSigningRequest, {
    metadata: { name: "a" },
    spec: {
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      request: kubeletRequest,
      usages,
      ...spec,
    },
  });

const conditions = async (client: Client) =>
  (await client.get(CertificateSigningRequest, { name: "a" })).status.conditions ?? [];

each<[who: string, user: Impersonation, purpose: string, messages: readonly string[]]>([
  [
    "a node that may request its own",
    node,
    "selfnodeclient",
    ["Auto approving self kubelet client certificate after SubjectAccessReview."],
  ],
  [
    "a joining machine",
    joining,
    "nodeclient",
    ["Auto approving kubelet client certificate after SubjectAccessReview."],
  ],
  ["a joining machine that may request its own only", joining, "selfnodeclient", []],
])("approves the request of %s", async (_, user, purpose, messages) => {
  const { client, settled, as } = await start();
  await allow(client, user.groups?.[0] ?? "", purpose);
  await create(as(user));
  await settled();
  const time = "2026-01-01T00:00:00Z";
  expect(await conditions(client)).toEqual(
    messages.map((message) => ({
      type: "Approved",
      status: "True",
      reason: "AutoApproved",
      message,
      lastUpdateTime: time,
      lastTransitionTime: time,
    })),
  );
});

each<[rule: string, spec: Partial<CertificateSigningRequest["spec"]>]>([
  ["other signers", { signerName: "kubernetes.io/kube-apiserver-client" }],
  ["other usages", { usages: ["client auth"] }],
  ["other subjects", { request: testRequest({ commonName: "jane", organizations }) }],
])("requests are left to people: %s", async (_, spec) => {
  const { client, settled } = await start();
  await create(client, spec);
  await settled();
  expect(await conditions(client)).toEqual([]);
});

const bindNodeClient = (client: Client) =>
  client.create(ClusterRoleBinding, {
    metadata: { name: "late" },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
    },
    subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "joining" }],
  });

test("a request whose creator may not create it is tried again later", async () => {
  const { client, as, settled, advance } = await start();
  await allow(client, "joining", "");
  await create(as(joining));
  await settled();
  expect(await conditions(client)).toEqual([]);
  await bindNodeClient(client);
  await advance("1s");
  expect(await conditions(client)).toMatchObject([{ type: "Approved" }]);
});

test("a denied request stays denied", async () => {
  const { client, as, advance } = await start();
  await allow(client, "joining", "");
  const csr = await create(as(joining));
  const denied = { type: "Denied", status: "True", reason: "No" };
  const decided = { ...csr, status: { conditions: [denied] } };
  await client.update(CertificateSigningRequest, decided, { subresource: "approval" });
  await bindNodeClient(client);
  await advance("1m");
  expect(await conditions(client)).toMatchObject([denied]);
});
