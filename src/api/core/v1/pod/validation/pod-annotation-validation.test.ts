import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { faults, podOf } from "../pod.test-support.ts";
import {
  hasValidDeletionCost,
  validatePodAnnotations,
  validatePodAnnotationsUpdate,
  validateProfilesMatch,
} from "./pod-annotation-validation.ts";

const cost = "controller.kubernetes.io/pod-deletion-cost";
const mirror = "kubernetes.io/config.mirror";
const tolerations = "scheduler.alpha.kubernetes.io/tolerations";
const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccomp = "container.seccomp.security.alpha.kubernetes.io/c";
const appArmor = "container.apparmor.security.beta.kubernetes.io/";

each<[string, Record<string, string>, readonly string[]]>([
  ["most mean nothing", { a: "b" }, []],
  [
    "mirror pods are on a node",
    { [mirror]: "x" },
    [`[${mirror}]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`],
  ],
  [
    "costs are integers",
    { [cost]: "1.5" },
    [`[${cost}]: Invalid value: "1.5": must be a 32bit integer`],
  ],
  [
    "tolerations are JSON",
    { [tolerations]: "x" },
    [`Invalid value: "${tolerations}": invalid character 'x' looking for beginning of value`],
  ],
  [
    "and valid",
    { [tolerations]: '[{"operator":"Is","key":"a"}]' },
    [`${tolerations}[0].operator: Unsupported value: "Is": supported values: "Equal", "Exists"`],
  ],
  [
    "seccomp profiles are known",
    { [seccompPod]: "x", [seccomp]: "localhost/../a" },
    [
      `${seccompPod}: Invalid value: "x": must be a valid seccomp profile`,
      `${seccomp}: Invalid value: "../a": must not contain '..'`,
    ],
  ],
  [
    "AppArmor profiles are known, and of a container",
    { [`${appArmor}d`]: "x" },
    [
      `[${appArmor}d]: Invalid value: "d": container not found`,
      `[${appArmor}d]: Invalid value: "x": invalid AppArmor profile name: "x"`,
    ],
  ],
])("validatePodAnnotations: %s", (_, annotations, expected) => {
  const { spec } = podOf();
  expect(faults((at) => validatePodAnnotations(annotations, at, { spec, options: {} }))).toEqual(
    expected,
  );
});

test.each([
  ["0", true],
  ["-2147483648", true],
  ["2147483647", true],
  ["2147483648", false],
  ["+1", false],
  ["01", false],
  ["", false],
  ["-", false],
])("hasValidDeletionCost: %s is %s", (value, valid) => {
  expect(hasValidDeletionCost({ [cost]: value })).toBe(valid);
});

const localhost = (localhostProfile: string) => ({ type: "Localhost", localhostProfile });

each<[string, object, object, readonly string[]]>([
  [
    "the same says nothing",
    { seccompProfile: { type: "RuntimeDefault" } },
    { [seccomp]: "docker/default" },
    [],
  ],
  [
    "types match",
    { seccompProfile: { type: "Unconfined" }, appArmorProfile: { type: "RuntimeDefault" } },
    { [seccomp]: "runtime/default", [`${appArmor}c`]: "unconfined" },
    [
      "containers[0].securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
      "containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
    ],
  ],
  [
    "so do names",
    { seccompProfile: localhost("a"), appArmorProfile: localhost("b") },
    { [seccomp]: "localhost/x", [`${appArmor}c`]: "localhost/x" },
    [
      "containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match",
      "containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match",
    ],
  ],
])("validateProfilesMatch: %s", (_, securityContext, annotations, expected) => {
  const { metadata, spec } = podOf({
    metadata: { annotations },
    spec: { containers: [{ name: "c", image: "i", securityContext }] },
  });
  expect(faults((at) => validateProfilesMatch(metadata, spec, at))).toEqual(expected);
});

const options = () => ({});
const annotated = (annotations: Record<string, string>) =>
  podOf({
    metadata: { annotations },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
  });

test("validatePodAnnotationsUpdate: some neither come, go nor change", () => {
  const old = annotated({ [`${appArmor}a`]: "unconfined", [mirror]: "x", other: "x" });
  const now = annotated({ [`${appArmor}c`]: "unconfined", [mirror]: "y", another: "x" });
  expect(faults((at) => validatePodAnnotationsUpdate(now, old, { at, options }))).toEqual([
    `[${appArmor}a]: Forbidden: may not remove or update AppArmor annotations`,
    `[${mirror}]: Forbidden: may not remove or update mirror pod annotation`,
    `[${appArmor}c]: Forbidden: may not add AppArmor annotations`,
  ]);
});

test("validatePodAnnotationsUpdate: what is added is valid", () => {
  const [old, now] = [annotated({}), annotated({ [cost]: "+3" })];
  expect(faults((at) => validatePodAnnotationsUpdate(now, old, { at, options }))).toEqual([
    `[${cost}]: Invalid value: "+3": must be a 32bit integer`,
  ]);
});
