import { expect, test } from "vitest";
import type { PodLike } from "./check.ts";
import { detailText, evaluate, reasonText } from "./evaluate.ts";
import type { Level } from "./policy.ts";

/** The messages of a pod's violations. */
const violated = (pod: object, level: Level, version = "latest"): string =>
  detailText(evaluate({ level, version }, pod as unknown as PodLike));

/** A pod without violations at any level, with these changes. */
function hardened(spec: object = {}, container: object = {}): object {
  const own = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  return {
    spec: {
      containers: [{ name: "c", securityContext: { ...own, ...container } }],
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      ...spec,
    },
  };
}
const bare = { spec: { containers: [{ name: "c" }, { name: "d" }] } };

test("evaluate: all is allowed to the privileged", () => {
  const pod = { spec: { hostNetwork: true, hostPID: true, containers: [{ name: "c" }] } };
  expect(violated(pod, "privileged")).toBe("");
});

test("evaluate: a pod without settings passes the baseline, and violates restricted", () => {
  expect(violated(bare, "baseline")).toBe("");
  expect(violated(bare, "restricted")).toBe(
    'allowPrivilegeEscalation != false (containers "c", "d" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "c", "d" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or containers "c", "d" must set securityContext.runAsNonRoot=true), seccompProfile (pod or containers "c", "d" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  );
});

test.each([
  ["v1.0", ["runAsNonRoot != true"]],
  ["v1.8", ["allowPrivilegeEscalation != false", "runAsNonRoot != true"]],
  ["v1.19", ["allowPrivilegeEscalation != false", "runAsNonRoot != true", "seccompProfile"]],
  [
    "v1.22",
    [
      "allowPrivilegeEscalation != false",
      "unrestricted capabilities",
      "runAsNonRoot != true",
      "seccompProfile",
    ],
  ],
])("evaluate: what is restricted grew with versions: %s", (version, reasons) => {
  const violations = evaluate({ level: "restricted", version }, bare as unknown as PodLike);
  expect(reasonText(violations)).toEqual(reasons.join(", "));
});

test("evaluate: a future version is evaluated as the latest", () => {
  const pod = hardened({}, { runAsUser: 0 });
  expect(violated(pod, "restricted", "v1.99")).toBe(violated(pod, "restricted"));
});

test("evaluate: a rule of the restricted level stands for the one below", () => {
  const pod = hardened(
    { volumes: [{ name: "v", hostPath: { path: "/" } }] },
    { capabilities: { drop: ["ALL"], add: ["SYS_TIME"] } },
  );
  expect(violated(pod, "restricted")).toBe(
    'unrestricted capabilities (container "c" must not include "SYS_TIME" in securityContext.capabilities.add), restricted volume types (volume "v" uses restricted volume type "hostPath")',
  );
  expect(violated(pod, "restricted", "v1.21")).toBe(
    'non-default capabilities (container "c" must not include "SYS_TIME" in securityContext.capabilities.add), restricted volume types (volume "v" uses restricted volume type "hostPath")',
  );
});
