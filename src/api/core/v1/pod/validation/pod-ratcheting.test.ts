import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { podOf } from "../pod.test-support.ts";
import { podValidationOptions } from "./pod-ratcheting.ts";

const invalid = { matchExpressions: [{ key: "a", operator: "In", values: ["-"] }] };
const spread = { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" };
const container = (more: object) => ({ containers: [{ name: "c", image: "i", ...more }] });

test("podValidationOptions: a new object is held to every rule", () => {
  expect(podValidationOptions()).toEqual({ allowOnlyRecursiveSELinuxChangePolicy: true });
});

test("podValidationOptions: so is an update of one that keeps them", () => {
  const tolerated = Object.entries(podValidationOptions(podOf())).filter(([, yes]) => yes);
  expect(tolerated).toEqual([["allowOnlyRecursiveSELinuxChangePolicy", true]]);
});

each<[string, Parameters<typeof podOf>[0]]>([
  [
    "allowInvalidPodDeletionCost",
    { metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "x" } } },
  ],
  [
    "allowInvalidLabelValueInSelector",
    {
      spec: {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "z", namespaceSelector: invalid },
            ],
          },
        },
      },
    },
  ],
  [
    "allowInvalidLabelValueInRequiredNodeAffinity",
    {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [invalid] },
          },
        },
      },
    },
  ],
  [
    "allowInvalidTopologySpreadConstraintLabelSelector",
    { spec: { topologySpreadConstraints: [{ ...spread, labelSelector: invalid }] } },
  ],
  [
    "oldPodViolatesMatchLabelKeysValidation",
    { spec: { topologySpreadConstraints: [{ ...spread, matchLabelKeys: ["a"] }] } },
  ],
  [
    "allowIndivisibleHugePagesValues",
    { spec: container({ resources: { limits: { "hugepages-2Mi": "1Mi" } } }) },
  ],
  [
    "allowNonLocalProjectedTokenPath",
    {
      spec: {
        volumes: [
          { name: "v", projected: { sources: [{ serviceAccountToken: { path: "../x" } }] } },
        ],
      },
    },
  ],
  [
    "allowNamespacedSysctlsForHostNetAndHostIPC",
    { spec: { hostNetwork: true, securityContext: { sysctls: [{ name: "net.x", value: "1" }] } } },
  ],
  [
    "allowExistingRestartContainerForNonSidecarInitContainer",
    {
      spec: {
        initContainers: [
          {
            name: "i",
            image: "i",
            resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
          },
        ],
      },
    },
  ],
  [
    "allowUserNamespacesWithVolumeDevices",
    {
      spec: {
        hostUsers: false,
        ...container({ volumeDevices: [{ name: "v", devicePath: "/d" }] }),
      },
    },
  ],
  ["allowUserNamespacesHostNetworkSupport", { spec: { hostUsers: false, hostNetwork: true } }],
  [
    "allowTaintTolerationComparisonOperators",
    { spec: { tolerations: [{ key: "a", operator: "Lt", value: "1" }] } },
  ],
])("podValidationOptions: %s, where the old pod needs it", (option, old) => {
  const tolerated = Object.entries(podValidationOptions(podOf(old))).flatMap(([name, yes]) =>
    yes ? name : [],
  );
  expect(tolerated.filter((name) => name !== "allowOnlyRecursiveSELinuxChangePolicy")).toEqual([
    option,
  ]);
});

test("podValidationOptions: any SELinux change policy goes where there was one", () => {
  const old = podOf({ spec: { securityContext: { seLinuxChangePolicy: "MountOption" } } });
  expect(podValidationOptions(old).allowOnlyRecursiveSELinuxChangePolicy).toBe(false);
});
