import { expect, test } from "vitest";
import type { StatusError } from "../../../api/meta/v1/status-error.ts";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { admitted, attributes, type TestAttributes } from "../attributes.test-support.ts";
import { serviceAccount } from "./service-account.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** A pod after admission with this account; undefined for none. */
async function admit(given: TestAttributes, account: object | undefined = {}): Promise<unknown> {
  const parts = await openParts();
  const name = (given.spec as { serviceAccountName?: string } | undefined)?.serviceAccountName;
  if (account) await write(parts, coreKind("ServiceAccount"), name ?? "default", account);
  return admitted(serviceAccount(parts), given);
}
const bare = { serviceAccountName: "default", serviceAccount: "default" };

test("serviceAccount: a pod runs as the default account, with its token in every container", async () => {
  const containers = [{ name: "c" }, { name: "d", volumeMounts: [{ name: "own", mountPath }] }];
  const spec = (await admit({ spec: { containers, initContainers: [{ name: "i" }] } })) as {
    volumes: { name: string }[];
  };
  const name = spec.volumes[0]?.name;
  expect(name).toMatch(/^kube-api-access-.{5}$/);
  const volumeMounts = [{ name, readOnly: true, mountPath }];
  expect(spec).toEqual({
    ...bare,
    containers: [{ name: "c", volumeMounts }, containers[1]],
    initContainers: [{ name: "i", volumeMounts }],
    volumes: [
      {
        name,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [
                  {
                    path: "namespace",
                    fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" },
                  },
                ],
              },
            },
          ],
        },
      },
    ],
  });
});

test.each([
  [
    "the pod wants no token",
    { automountServiceAccountToken: false },
    {},
    { automountServiceAccountToken: false, ...bare },
  ],
  ["the account gives no token", {}, { automountServiceAccountToken: false }, bare],
  [
    "the account has secrets for images",
    { automountServiceAccountToken: false },
    { imagePullSecrets: [{ name: "s" }] },
    { automountServiceAccountToken: false, ...bare, imagePullSecrets: [{ name: "s" }] },
  ],
  [
    "the pod has its own",
    { automountServiceAccountToken: false, imagePullSecrets: [{ name: "own" }] },
    { imagePullSecrets: [{ name: "s" }] },
    { automountServiceAccountToken: false, ...bare, imagePullSecrets: [{ name: "own" }] },
  ],
])("serviceAccount: %s", async (_, spec, account, wanted) => {
  expect(await admit({ spec }, account)).toEqual(wanted);
});

test.each([
  ["x", 'serviceaccount "x" not found'],
  ["a%", `invalid resource name "a%": [may not contain '%']`],
])("serviceAccount: a pod whose account %j does not exist is refused", async (name, why) => {
  const parts = await openParts();
  expect(await admitted(serviceAccount(parts), { spec: { serviceAccountName: name } })).toEqual(
    `pods "a" is forbidden: error looking up service account default/${name}: ${why}`,
  );
});

const mirror = { annotations: { "kubernetes.io/config.mirror": "x" } };
test.each([
  [{}, {}],
  [
    { serviceAccountName: "default" },
    'pods "a" is forbidden: a mirror pod may not reference service accounts',
  ],
  [
    { volumes: [{ secret: { secretName: "s" } }] },
    'pods "a" is forbidden: a mirror pod may not reference secrets',
  ],
  [
    { volumes: [{ projected: { sources: [{ serviceAccountToken: {} }] } }] },
    'pods "a" is forbidden: a mirror pod may not use ServiceAccountToken volume projections',
  ],
])("serviceAccount: a mirror pod with %j", async (spec, wanted) => {
  expect(await admit({ metadata: mirror, spec })).toEqual(wanted);
});

test("serviceAccount: updates and other kinds are left alone", async () => {
  expect([await admit({ operation: "UPDATE" }), await admit({ kind: "Service" })]).toEqual([
    {},
    {},
  ]);
});

const strict = (secrets: readonly string[] = [], enforced = "true") => ({
  metadata: {
    name: "default",
    annotations: { "kubernetes.io/enforce-mountable-secrets": enforced },
  },
  secrets: secrets.map((name) => ({ name })),
});
const plain = { automountServiceAccountToken: false };
const secretVolume = { ...plain, volumes: [{ name: "v", secret: { secretName: "s" } }] };

test.each([
  ["the secret is listed", strict(["s"]), undefined],
  ["the account is not so strict", strict([], "no"), undefined],
  [
    "the secret is not listed",
    strict(["t"]),
    'pods "a" is forbidden: volume with secret.secretName="s" is not allowed because service account default does not reference that secret',
  ],
])("serviceAccount: a pod with a secret, where %s", async (_, account, rejection) => {
  const outcome = await admit({ spec: secretVolume }, account);
  expect(typeof outcome === "string" ? outcome : undefined).toEqual(rejection);
});

/** The outcome of adding a container with a secret to a pod. */
async function debugged(spec: object): Promise<unknown> {
  const parts = await openParts();
  await write(parts, coreKind("ServiceAccount"), "default", strict());
  const envFrom = [{ secretRef: { name: "s" } }];
  const ephemeralContainers = [{ name: "e", envFrom }];
  const given = { operation: "UPDATE", subresource: "ephemeralcontainers" } as const;
  const request = attributes({ ...given, spec: { ephemeralContainers, ...spec } });
  const plugin = serviceAccount(parts);
  return admissionChain([plugin])
    .validate(request as never)
    .catch((error: StatusError) => [error.code, error.message]);
}

test.each([
  [{ serviceAccountName: "default", ephemeralContainers: [{ name: "e" }] }, undefined],
  [
    { serviceAccountName: "default" },
    [
      500,
      'ephemeral container e with envFrom referencing secret.secretName="s" is not allowed because service account default does not reference that secret',
    ],
  ],
  [{}, [403, 'pods "a" is forbidden: no service account specified for pod default/a']],
])("serviceAccount: a container is added to debug a pod with %j", async (spec, outcome) => {
  expect(await debugged(spec)).toEqual(outcome);
});
