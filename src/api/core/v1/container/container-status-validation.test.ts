import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { At } from "../../../../schema/language/report.ts";
import type { Container } from "./container.ts";
import { containerShouldRestart } from "./container-restart.ts";
import type { ContainerStatus } from "./container-status.ts";
import {
  validateAllocatedResourcesStatus,
  validateContainerStateTransition,
  validateContainerStatusUsers,
  validateEphemeralContainerStateTransition,
  validateNoAllocatedResourcesStatus,
} from "./container-status-validation.ts";

const container = (more: object = {}): Container => ({
  name: "a",
  resources: {},
  terminationMessagePath: "",
  terminationMessagePolicy: "File",
  ...more,
});
const status = (more: object): ContainerStatus => ({
  name: "a",
  state: {},
  lastState: {},
  ready: false,
  restartCount: 0,
  image: "",
  imageID: "",
  ...more,
});
const terminated = (exitCode: number) =>
  status({ state: { terminated: { exitCode, startedAt: "", finishedAt: "" } } });
const found = (rule: (at: At) => void): readonly string[] => {
  const at = At.root();
  rule(at.child("s"));
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const revive = (restartPolicy: string, exitCode: number, more: object = {}) => {
  const containers = [container(more)];
  const spec = { restartPolicy, containers };
  return found((at) =>
    validateContainerStateTransition([status({})], at, {
      old: [terminated(exitCode)],
      spec,
      containers,
    }),
  );
};
const forbidden = ["s[0].state: Forbidden: may not be transitioned to non-terminated state"];
const onCode3 = { action: "Restart", exitCodes: { operator: "In", values: [3] } };

each<[rule: string, found: readonly string[], expected: readonly string[]]>([
  ["Always restarts", revive("Always", 0), []],
  ["OnFailure restarts what failed", revive("OnFailure", 1), []],
  ["OnFailure leaves what succeeded", revive("OnFailure", 0), forbidden],
  ["Never restarts nothing", revive("Never", 1), forbidden],
  ["the container's policy precedes", revive("Never", 1, { restartPolicy: "OnFailure" }), []],
  [
    "a rule precedes the container's policy",
    revive("Always", 3, { restartPolicy: "Never", restartPolicyRules: [onCode3] }),
    [],
  ],
  [
    "a rule for all restarts whatever the code",
    revive("Never", 0, {
      restartPolicy: "Never",
      restartPolicyRules: [{ ...onCode3, action: "RestartAllContainers" }],
    }),
    [],
  ],
  ["a container that nobody knows stays as it is", revive("Always", 0, { name: "b" }), forbidden],
])("validateContainerStateTransition: %s", (_, errors, expected) => {
  expect(errors).toEqual(expected);
});

test("validateEphemeralContainerStateTransition: what ended has ended", () => {
  expect(
    found((at) => validateEphemeralContainerStateTransition([status({})], at, [terminated(1)])),
  ).toEqual(forbidden);
});

test("containerShouldRestart: rules without a policy do not count", () => {
  const rules = { restartPolicyRules: [onCode3] };
  expect([
    containerShouldRestart(rules, { restartPolicy: "Never" }, 3),
    containerShouldRestart({ ...rules, restartPolicy: "Never" }, { restartPolicy: "Never" }, 3),
    containerShouldRestart({ ...rules, restartPolicy: "Never" }, { restartPolicy: "Always" }, 4),
  ]).toEqual([false, true, false]);
});

test("validateContainerStatusUsers: IDs are possible, and of the pod's system", () => {
  const statuses = [status({ user: { linux: { uid: -1, gid: 0 } } })];
  expect([
    found((at) => validateContainerStatusUsers(statuses, at, undefined)),
    found((at) => validateContainerStatusUsers(statuses, at, "windows")),
  ]).toEqual([
    ["s[0].user.linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive"],
    ["s[0].user.linux: Forbidden: cannot be set for a windows pod"],
  ]);
});

test("validateAllocatedResourcesStatus: health is told of what was asked for", () => {
  const statuses = [
    status({
      allocatedResourcesStatus: [
        { name: "a.b/x", resources: [{ resourceID: "1", health: "Bad", message: "" }] },
        {
          name: "claim:c/r",
          resources: [1, 2].map(() => ({ resourceID: "1", health: "Healthy" })),
        },
        { name: "claim:d" },
      ],
    }),
  ];
  const asked = container({ resources: { claims: [{ name: "c", request: "r" }] } });
  const here = "s[0].allocatedResourcesStatus";
  expect(found((at) => validateAllocatedResourcesStatus(statuses, at, [asked]))).toEqual([
    `${here}[0].name: Invalid value: "a.b/x": must match one of the container's resource requests`,
    `${here}[0].resources[0].health: Unsupported value: "Bad": supported values: "Healthy", "Unhealthy", "Unknown"`,
    `${here}[0].resources[0].message: Required value: must be non-empty if specified`,
    `${here}[1].resources[1].resourceID: Duplicate value: "1"`,
    `${here}[2].name: Invalid value: "claim:d": must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty`,
  ]);
  expect(found((at) => validateNoAllocatedResourcesStatus(statuses, at))).toEqual([
    `${here}: Forbidden: must not be specified in container status`,
  ]);
});
