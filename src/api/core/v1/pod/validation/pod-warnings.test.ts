import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { At } from "../../../../../schema/language/report.ts";
import { podOf } from "../pod.test-support.ts";
import { podTemplateWarnings, podWarnings } from "./pod-warnings.ts";

const container = (more: object) => ({ containers: [{ name: "c", image: "i", ...more }] });
const none = "a null labelSelector results in matching no pod";
const term = { topologyKey: "z" };

each<[string, Parameters<typeof podOf>[0], readonly string[]]>([
  ["nothing", {}, []],
  [
    "old labels of nodes",
    {
      spec: {
        nodeSelector: { "beta.kubernetes.io/os": "linux" },
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "beta.kubernetes.io/arch", operator: "Exists" }] },
              ],
            },
          },
        },
      },
    },
    [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
    ],
  ],
  [
    "selectors that are absent",
    {
      spec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" },
        ],
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
          },
        },
      },
    },
    [
      `spec.topologySpreadConstraints[0].labelSelector: ${none}`,
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: ${none}`,
      `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: ${none}`,
    ],
  ],
  [
    "annotations that do nothing",
    {
      metadata: {
        annotations: {
          "security.alpha.kubernetes.io/sysctls": "",
          "seccomp.security.alpha.kubernetes.io/pod": "",
          "container.seccomp.security.alpha.kubernetes.io/c": "",
        },
      },
    },
    [
      'metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  ],
  [
    "what is given twice",
    {
      spec: {
        hostAliases: [{ ip: "::1" }, { ip: "::1" }],
        imagePullSecrets: [{ name: "s" }, { name: "s" }, {}],
      },
    },
    [
      'spec.hostAliases[1].ip: duplicate ip "::1"',
      'spec.imagePullSecrets[1].name: duplicate name "s"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
  ],
  [
    "parts of a byte",
    {
      spec: {
        ...container({ resources: { requests: { memory: "100m" } } }),
        overhead: { memory: "1500m" },
      },
    },
    [
      'spec.overhead[memory]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
    ],
  ],
  [
    "variables that hide others",
    {
      spec: container({
        env: [
          { name: "A", value: "1" },
          { name: "A", value: "$(A)2" },
          { name: "A", value: "$(A)" },
          { name: "A", value: "3" },
        ],
      }),
    },
    [2, 3].map(
      (i) =>
        `spec.containers[0].env[${i}]: hides previous definition of "A", which may be dropped when using apply`,
    ),
  ],
  [
    "addresses in an odd form",
    { spec: { dnsConfig: { nameservers: ["0:0::1"] } } },
    [
      'spec.dnsConfig.nameservers[0]: IPv6 address "0:0::1" should be in RFC 5952 canonical format ("::1")',
    ],
  ],
])("podWarnings: of %s", (_, pod, expected) => {
  expect(podWarnings(podOf(pod))).toEqual(expected);
});

test("podTemplateWarnings: paths begin where the template stands, and AppArmor's annotation is told", () => {
  const key = "container.apparmor.security.beta.kubernetes.io/c";
  const template = podOf({ metadata: { annotations: { [key]: "unconfined" } } });
  const at = At.root().child("spec").child("template");
  expect(podTemplateWarnings(template, at)).toEqual([
    `spec.template.metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
  ]);
});

test("podTemplateWarnings: a template may still have a negative grace period", () => {
  const { metadata, spec } = podOf();
  const template = { metadata, spec: { ...spec, terminationGracePeriodSeconds: -1 } };
  expect(podTemplateWarnings(template, At.root().child("template"))).toEqual([
    "template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
  ]);
});
