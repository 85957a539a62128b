import { expect, test } from "vitest";
import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import type { ServiceAccount } from "../../../api/core/v1/service-account.ts";
import {
  limitsSecrets,
  unlistedEphemeralSecret,
  unlistedSecret,
  usesSecrets,
} from "./secret-references.ts";

const account = {
  metadata: { name: "sa" },
  secrets: [{ name: "listed" }],
  imagePullSecrets: [{ name: "pull" }],
} as unknown as ServiceAccount;
const spec = (given: object) => given as unknown as PodSpec;
const because = "is not allowed because service account sa does not reference that secret";
const variable = (name: string) => ({ name: "V", valueFrom: { secretKeyRef: { name } } });

test.each([
  [{}, undefined],
  [{ volumes: [{ secret: { secretName: "listed" } }, { emptyDir: {} }] }, undefined],
  [{ volumes: [{ secret: { secretName: "x" } }] }, `volume with secret.secretName="x" ${because}`],
  [{ volumes: [{ projected: { sources: [{ secret: { name: "x" } }] } }] }, undefined],
  [
    { containers: [{ name: "c", env: [variable("listed"), { name: "W" }, variable("x")] }] },
    `container c with envVar V referencing secret.secretName="x" ${because}`,
  ],
  [
    { initContainers: [{ name: "i", envFrom: [{ secretRef: { name: "x" } }] }] },
    `init container i with envFrom referencing secret.secretName="x" ${because}`,
  ],
  [{ ephemeralContainers: [{ name: "e", env: [variable("x")] }] }, undefined],
  [
    { imagePullSecrets: [{ name: "pull" }, { name: "listed" }] },
    'imagePullSecrets[1].name="listed" is not allowed because service account sa does not reference that imagePullSecret',
  ],
])("unlistedSecret: of %j", (given, problem) => {
  expect(unlistedSecret(spec(given), account)).toBe(problem);
});

test("unlistedEphemeralSecret: only ephemeral containers count", () => {
  const given = {
    containers: [{ name: "c", env: [variable("x")] }],
    ephemeralContainers: [{ name: "e", env: [variable("y")] }],
  };
  expect(unlistedEphemeralSecret(spec(given), account)).toBe(
    `ephemeral container e with envVar V referencing secret.secretName="y" ${because}`,
  );
});

test.each([
  [{}, false],
  [{ volumes: [{ secret: {} }, { configMap: { name: "m" } }] }, false],
  [{ volumes: [{ csi: { nodePublishSecretRef: { name: "s" } } }] }, true],
  [{ volumes: [{ projected: { sources: [{ secret: { name: "s" } }] } }] }, true],
  [{ imagePullSecrets: [{ name: "s" }] }, true],
  [{ ephemeralContainers: [{ name: "e", env: [variable("s")] }] }, true],
])("usesSecrets: %j: %j", (given, uses) => {
  expect(usesSecrets(spec(given))).toBe(uses);
});

test.each([
  ["true", true],
  ["T", true],
  ["yes", false],
  ["", false],
])("limitsSecrets: %j is %j", (value, limits) => {
  const annotations = { "kubernetes.io/enforce-mountable-secrets": value };
  expect(limitsSecrets({ ...account, metadata: { annotations } } as ServiceAccount)).toBe(limits);
});
