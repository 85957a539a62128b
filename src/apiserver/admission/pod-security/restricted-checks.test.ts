import { expect, test } from "vitest";
import type { PodLike } from "./check.ts";
import { detailText, evaluate } from "./evaluate.ts";

const own = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
const ofPod = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

/** The violations of a pod that has only these. */
function violated(given: Given, version = "latest"): string {
  const { container = {}, pod = {}, spec = {} } = given;
  const changed = {
    spec: {
      containers: [{ name: "c", securityContext: { ...own, ...container } }],
      securityContext: { ...ofPod, ...pod },
      ...spec,
    },
  };
  return detailText(evaluate({ level: "restricted", version }, changed as unknown as PodLike));
}
interface Given {
  readonly container?: object;
  readonly pod?: object;
  readonly spec?: object;
}

test.each([
  ["nothing", {}, ""],
  [
    "escalation",
    { container: { allowPrivilegeEscalation: true } },
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
  ],
  [
    "capabilities",
    { container: { capabilities: { drop: ["KILL"], add: ["NET_BIND_SERVICE", "KILL"] } } },
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "KILL" in securityContext.capabilities.add)',
  ],
  [
    "volumes",
    {
      spec: {
        volumes: [
          { name: "a", nfs: {} },
          { name: "b", hostPath: {} },
          { name: "c", secret: {} },
          { name: "d", image: {} },
        ],
      },
    },
    'restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
  ],
  [
    "runAsNonRoot false in pod and containers",
    { pod: { runAsNonRoot: false }, container: { runAsNonRoot: false } },
    'runAsNonRoot != true (pod and container "c" must not set securityContext.runAsNonRoot=false)',
  ],
  [
    "runAsNonRoot false in the pod only",
    { pod: { runAsNonRoot: false }, container: { runAsNonRoot: true } },
    "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)",
  ],
  [
    "runAsNonRoot not set",
    { pod: { runAsNonRoot: undefined } },
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
  ],
  [
    "root's number",
    { container: { runAsUser: 0 } },
    'runAsUser=0 (container "c" must not set runAsUser=0)',
  ],
  ["another number", { container: { runAsUser: 1 } }, ""],
  [
    "all system calls",
    { container: { seccompProfile: { type: "Unconfined" } } },
    'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    "system calls, of which only containers speak",
    { pod: { seccompProfile: undefined }, container: { seccompProfile: { type: "Localhost" } } },
    "",
  ],
  [
    "/proc as it is, even in a user namespace",
    { spec: { hostUsers: false }, container: { procMount: "Unmasked" } },
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
])("restrictedChecks: %s", (_, given, text) => {
  expect(violated(given)).toBe(text);
});

const root = { pod: { runAsNonRoot: false, runAsUser: 0 }, spec: { hostUsers: false } };
const windows = {
  container: { allowPrivilegeEscalation: true, capabilities: {} },
  pod: { seccompProfile: undefined },
  spec: { os: { name: "windows" } },
};

test.each([
  ["a user namespace has its own root", root, 35],
  ["Windows has no such settings", windows, 25],
] as const)("restrictedChecks: since a version, %s", (_, given, since) => {
  expect(violated(given, `v1.${since - 1}`)).not.toBe("");
  expect(violated(given, `v1.${since}`)).toBe("");
});
