import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { normalise } from "../../../../schema/language/normalise.ts";
import { At } from "../../../../schema/language/report.ts";
import { PodSpec } from "../pod/pod-spec.ts";
import {
  type ContainerContext,
  validateContainers,
  validateContainerUpdates,
  validateInitContainers,
} from "./container-validation.ts";
import { validateEphemeralContainers } from "./ephemeral-container-validation.ts";

type Rules = (spec: PodSpec, at: At, context: ContainerContext) => void;

/** The errors of a spec as `field: message`. */
function errors(rules: Rules, input: object, options: ContainerContext["options"] = {}) {
  const spec = normalise(PodSpec, input)?.value;
  if (!spec) throw new Error("not a pod spec");
  applyDefaults(PodSpec, spec);
  const at = At.root();
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  const claimNames = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  rules(spec, at, { spec, volumes, claimNames, options });
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}

const regular: Rules = (spec, at, context) =>
  validateContainers(spec.containers ?? [], at.child("c"), context);
const init: Rules = (spec, at, context) =>
  validateInitContainers(spec.initContainers ?? [], at.child("i"), context);
const ephemeral: Rules = (spec, at, context) =>
  validateEphemeralContainers(spec.ephemeralContainers ?? [], at.child("e"), context);

const app = { name: "app", image: "app:1" };
const container = (more: object, spec: object = {}) =>
  errors(regular, { containers: [{ ...app, ...more }], ...spec });
const httpGet = { port: 80 };

each<[rule: string, found: readonly string[], expected: readonly string[]]>([
  ["a container with name and image is valid", container({}), []],
  ["there is at least one", errors(regular, {}), ["c: Required value"]],
  [
    "name and image are required",
    errors(regular, { containers: [{}] }),
    ["c[0].name: Required value", "c[0].image: Required value"],
  ],
  [
    "names are unique",
    errors(regular, { containers: [app, app] }),
    ['c[1].name: Duplicate value: "app"'],
  ],
  [
    "policies are among the known",
    container({ terminationMessagePolicy: "X", imagePullPolicy: "Y", restartPolicy: "Z" }),
    [
      'c[0].terminationMessagePolicy: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"',
      'c[0].imagePullPolicy: Unsupported value: "Y": supported values: "Always", "IfNotPresent", "Never"',
      'c[0].restartPolicy: Unsupported value: "Z": supported values: "Always", "Never", "OnFailure"',
    ],
  ],
  [
    "rules of a restart need a policy, and are looked at without one",
    container({ restartPolicyRules: [{ action: "X" }] }),
    [
      "c[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used",
      'c[0].restartPolicyRules[0].action: Unsupported value: "X": supported values: "Restart", "RestartAllContainers"',
      "c[0].restartPolicyRules[0].exitCodes: Required value: must be specified",
    ],
  ],
  [
    "host ports are unique across containers",
    errors(regular, {
      containers: ["a", "b"].map((name) => ({
        ...app,
        name,
        ports: [{ containerPort: 1, hostPort: 80 }],
      })),
    }),
    ['c[1].ports[0].hostPort: Duplicate value: "TCP//80"'],
  ],
  [
    "a liveness probe succeeds at once, a readiness probe ends nothing",
    container({
      livenessProbe: { httpGet, successThreshold: 2 },
      readinessProbe: { httpGet, terminationGracePeriodSeconds: 3 },
    }),
    [
      "c[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
      "c[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 3: must not be set for readinessProbes",
    ],
  ],
  [
    "a handler does one thing",
    container({ startupProbe: { httpGet, grpc: { port: 1 } }, lifecycle: { preStop: {} } }),
    [
      "c[0].lifecycle.preStop: Required value: must specify a handler type",
      "c[0].startupProbe.grpc: Forbidden: may not specify more than 1 handler type",
    ],
  ],
  [
    "nobody sleeps longer than the pod's grace period",
    container({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
    [
      "c[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ],
  ],
  [
    "a stop signal needs an operating system",
    container({ lifecycle: { stopSignal: "SIGTERM" } }),
    [
      "c[0].lifecycle.stopSignal: Forbidden: may not be set for containers with empty `spec.os.name`",
    ],
  ],
  [
    "mounts name volumes of the pod",
    container({ volumeMounts: [{ name: "v", mountPath: "/v" }] }),
    ['c[0].volumeMounts[0].name: Not found: "v"'],
  ],
  [
    "the proc of the node is masked unless users are the pod's own",
    container({ securityContext: { procMount: "Unmasked" } }),
    [
      'c[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ],
  ],
  [
    "the same with users of its own",
    container({ securityContext: { procMount: "Unmasked" } }, { hostUsers: false }),
    [],
  ],
  [
    "a pod that never restarts resizes without restart",
    container(
      { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
      { restartPolicy: "Never" },
    ),
    [
      "c[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
    ],
  ],
])("validateContainers: %s", (_, found, expected) => {
  expect(found).toEqual(expected);
});

const initContainer = (more: object, options?: ContainerContext["options"]) =>
  errors(init, { containers: [app], initContainers: [{ ...app, name: "i", ...more }] }, options);
const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];

each<[rule: string, found: readonly string[], expected: readonly string[]]>([
  [
    "a name of a container is taken",
    initContainer({ name: "app" }),
    ['i[0].name: Duplicate value: "app"'],
  ],
  [
    "hooks are for those that stay",
    initContainer({ lifecycle: {}, livenessProbe: { httpGet } }),
    [
      "i[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always",
      "i[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
  ],
  [
    "a sidecar has hooks",
    initContainer({ restartPolicy: "Always", livenessProbe: { httpGet } }),
    [],
  ],
  [
    "rules without a policy are not looked at",
    initContainer({ restartPolicyRules: [{ action: "X" }] }),
    ["i[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used"],
  ],
  [
    "who runs once is not restarted for a resize",
    initContainer({ resizePolicy }),
    [
      "i[0].resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar initContainers",
    ],
  ],
  [
    "unless it was so before",
    initContainer(
      { resizePolicy },
      { allowExistingRestartContainerForNonSidecarInitContainer: true },
    ),
    [],
  ],
])("validateInitContainers: %s", (_, found, expected) => {
  expect(found).toEqual(expected);
});

test("validateEphemeralContainers: it is no part of what the pod is for", () => {
  const found = errors(ephemeral, {
    containers: [app],
    volumes: [{ name: "v" }],
    ephemeralContainers: [
      {
        ...app,
        image: " app",
        targetContainerName: "x",
        resources: { limits: { cpu: "1" } },
        lifecycle: {},
        ports: [{ containerPort: 1 }],
        volumeMounts: [{ name: "v", mountPath: "/v", subPath: "a" }],
      },
    ],
  });
  expect(found).toEqual([
    'e[0].image: Invalid value: " app": must not have leading or trailing whitespace',
    'e[0].name: Duplicate value: "app"',
    'e[0].targetContainerName: Not found: "x"',
    "e[0].ports: Forbidden: cannot be set for an Ephemeral Container",
    "e[0].resources: Forbidden: cannot be set for an Ephemeral Container",
    "e[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container",
    "e[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
  ]);
});

test("validateEphemeralContainers: a field that is refused is refused empty, too", () => {
  const ephemeralContainers = [{ name: "e", image: "app", ports: [], resizePolicy: [] }];
  expect(errors(ephemeral, { containers: [app], ephemeralContainers })).toEqual([
    "e[0].ports: Forbidden: cannot be set for an Ephemeral Container",
    "e[0].resizePolicy: Forbidden: cannot be set for an Ephemeral Container",
  ]);
});

test("validateEphemeralContainers: a pod without containers is no fault of theirs", () => {
  expect(errors(ephemeral, { ephemeralContainers: [app] })).toEqual([]);
});

test("validateContainerUpdates: containers are neither added nor removed", () => {
  const at = At.root();
  const one = { name: "a", resources: {}, image: "" } as never;
  expect([
    validateContainerUpdates([one], at.child("c"), []),
    validateContainerUpdates([one], at.child("c"), [one]),
  ]).toEqual([false, true]);
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    "c: Forbidden: pod updates may not add or remove containers",
    "c[0].image: Required value",
  ]);
});
