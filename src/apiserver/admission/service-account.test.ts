import { expect, test } from "vitest";
import { coreKind, openRegistry, resources, write } from "../registry.test-support.ts";
import { type Asked, admitted } from "./attributes.test-support.ts";
import { serviceAccount } from "./service-account.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What becomes of a pod where the account is as given; undefined: where there is none. */
async function admit(asked: Asked, account: object | undefined = {}): Promise<unknown> {
  const registry = await openRegistry();
  const name = (asked.spec as { serviceAccountName?: string } | undefined)?.serviceAccountName;
  if (account) await write(registry, coreKind("ServiceAccount"), name ?? "default", account);
  return admitted(
    serviceAccount(() => registry, resources),
    asked,
  );
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

test("serviceAccount: a pod whose account does not exist is refused", async () => {
  const registry = await openRegistry();
  expect(
    await admitted(
      serviceAccount(() => registry, resources),
      { spec: { serviceAccountName: "x" } },
    ),
  ).toEqual(
    'pods "a" is forbidden: error looking up service account default/x: serviceaccount "x" not found',
  );
});

const mirror = { annotations: { "kubernetes.io/config.mirror": "x" } };
test.each([
  [{}, {}],
  [
    { serviceAccountName: "default" },
    'pods "a" is forbidden: a mirror pod may not reference service accounts',
  ],
  [{ volumes: [{ secret: {} }] }, 'pods "a" is forbidden: a mirror pod may not reference secrets'],
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
