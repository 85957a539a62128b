import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { coreKind, openParts, type TestParts, write } from "../../verbs/verb-parts.test-support.ts";
import { allowing, kindAt, type TestAttributes } from "../attributes.test-support.ts";
import { rejectionOfNode } from "./node-requests.test-support.ts";

const bound = (name: string, more: object = {}) => ({
  boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid: name, ...more },
});
const asked = (...audiences: string[]) => ({ ...bound("own"), audiences });
const token = (spec: object): TestAttributes => ({
  kind: "ServiceAccount",
  subresource: "token",
  spec,
});
const rejected = (why: string) => `serviceaccounts "a" is forbidden: ${why}`;
const notBound = rejected("node requested token not bound to a pod");
const notUsed = (audience: string) =>
  rejected(
    `audience "${audience}" not found in pod spec volume, system:node:a is not authorized to request tokens for this audience`,
  );

each<[what: string, spec: object, wanted: string | undefined]>([
  ["for the server, by a volume", asked(), undefined],
  ["for an audience of a volume", asked("vault"), undefined],
  ["for an audience of a driver", asked("csi"), undefined],
  ["for an audience of a driver of a claim", asked("claimed"), undefined],
  ["for an audience of a driver of a volume of its own", asked("ephemeral"), undefined],
  ["for an audience of a driver that replaces a volume type", asked("ebs"), undefined],
  ["for an audience that the node is allowed", asked("granted"), undefined],
  ["for another audience", asked("other"), notUsed("other")],
  ["for two audiences", asked("vault", "csi"), rejected("node may only request 0 or 1 audiences")],
  ["for no object", {}, notBound],
  ["for a secret", bound("own", { kind: "Secret" }), notBound],
  ["for an object of another version", bound("own", { apiVersion: "v2" }), notBound],
  ["for a pod without name", bound(""), notBound],
  [
    "for a pod without uid",
    bound("own", { uid: "" }),
    rejected("node requested token with a pod binding without a uid"),
  ],
  [
    "for an earlier pod",
    bound("own", { uid: "old" }),
    rejected(
      "the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated",
    ),
  ],
  [
    "for a pod of another node",
    bound("other"),
    rejected("node requested token bound to a pod scheduled on a different node"),
  ],
  ["for a pod that does not exist", bound("none"), 'pod "none" not found'],
])("accountTokens: a token %s", async (_, spec, wanted) => {
  expect(await rejectionOfNode(token(spec), { parts: await withPods() })).toBe(wanted);
});

each<[what: string, volume: object, problem: string]>([
  ["driver", { csi: { driver: "none" } }, 'csidriver.storage.k8s.io "none" not found'],
  [
    "claim",
    { persistentVolumeClaim: { claimName: "none" } },
    'persistentvolumeclaim "none" not found',
  ],
  [
    "volume",
    { persistentVolumeClaim: { claimName: "unbound" } },
    'persistentvolume "none" not found',
  ],
])("accountTokens: a missing %s is a reason of its own", async (_, volume, problem) => {
  const parts = await withPods();
  await write(parts, coreKind("PersistentVolumeClaim"), "unbound", {
    spec: { volumeName: "none" },
  });
  await writePod(parts, "broken", "a", [{ name: "v", ...volume }]);
  const spec = { ...bound("broken"), audiences: ["x"] };
  expect(await rejectionOfNode(token(spec), { parts })).toBe(
    rejected(`error validating audience "x": ${problem}`),
  );
});

each<[what: string, given: TestAttributes]>([
  ["the account itself", { kind: "ServiceAccount" }],
  ["an update", { ...token({}), operation: "UPDATE" }],
])("accountTokens: %s is not restricted here", async (_, given) => {
  expect(await rejectionOfNode(given)).toBeUndefined();
});

const writePod = (parts: TestParts, name: string, nodeName: string, volumes: object[]) =>
  write(parts, coreKind("Pod"), name, { metadata: { uid: name }, spec: { nodeName, volumes } });

/** A server with a pod of node a that uses audiences in many ways, and one of another node. */
async function withPods(): Promise<TestParts> {
  const opened = await openParts();
  const authorizer = allowing("request-serviceaccounts-token-audience granted a");
  const parts = { ...opened, access: { ...opened.access, authorizer } };
  const source = (audience?: string) => ({ serviceAccountToken: { path: "t", audience } });
  await writePod(parts, "other", "b", []);
  await writePod(parts, "own", "a", [
    { name: "p", projected: { sources: [source(), source("vault")] } },
    { name: "c", csi: { driver: "inline" } },
    { name: "d", persistentVolumeClaim: { claimName: "claim" } },
    { name: "e", ephemeral: { volumeClaimTemplate: {} } },
    { name: "f", awsElasticBlockStore: { volumeID: "v" } },
  ]);
  const driver = (name: string, audience: string) =>
    write(parts, kindAt("storage.k8s.io", "csidrivers"), name, {
      spec: { tokenRequests: [{ audience }] },
    });
  await driver("inline", "csi");
  await driver("bound", "claimed");
  await driver("made", "ephemeral");
  await driver("ebs.csi.aws.com", "ebs");
  const claimed = async (claim: string, name: string) => {
    await write(parts, coreKind("PersistentVolumeClaim"), claim, { spec: { volumeName: name } });
    await write(parts, coreKind("PersistentVolume"), name, { spec: { csi: { driver: name } } });
  };
  await claimed("claim", "bound");
  await claimed("own-e", "made");
  return parts;
}
