import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ContainerStatus } from "../../cri/runtime-types.ts";
import { podActions } from "./pod-actions.ts";
import { noProbes, type ProbeResult } from "./probes/probe-results.ts";

interface Given {
  readonly policy?: "Always" | "OnFailure" | "Never";
  /** Containers and their states: `a` (none), `a running`, `a 0` (exit code). */
  readonly main: readonly string[];
  /** The same for init containers; sidecars begin with a plus. */
  readonly init?: readonly string[];
  readonly sandbox?: "none" | "ready" | "notReady";
  readonly liveness?: ProbeResult;
  readonly startup?: ProbeResult;
  /** Containers that run another image. */
  readonly changed?: readonly string[];
  /** Containers that must restart for a resize. */
  readonly resizing?: readonly string[];
}

function actions(given: Given): Record<string, unknown> {
  const { policy = "Always", main, init = [], sandbox = "ready", liveness, startup } = given;
  const { changed = [], resizing = [] } = given;
  const read = (text: string) => {
    const [name = "", state = ""] = text.replace("+", "").split(" ");
    return { name, state, isSidecar: text.startsWith("+") };
  };
  const all = [...init, ...main].map(read);
  const containers = all
    .filter(({ state }) => state !== "")
    .map(({ name, state }) => ({
      id: name,
      sandboxId: "s",
      metadata: { name, attempt: 0 },
      state: /^\d+$/.test(state) ? "exited" : state,
      exitCode: Number.parseInt(state, 10) || 0,
      userSpecifiedImage: changed.includes(name) ? "old" : "i",
      annotations: {},
    }));
  const container = ({ name, isSidecar }: ReturnType<typeof read>) => ({
    name,
    image: "i",
    ...(isSidecar && { restartPolicy: "Always", startupProbe: startup && {} }),
  });
  const pod = {
    metadata: { name: "p" },
    spec: {
      restartPolicy: policy,
      containers: main.map(read).map(container),
      initContainers: init.map(read).map(container),
    },
    status: {},
  } as unknown as Pod;
  const sandboxes =
    sandbox === "none" ? [] : [{ id: "s", state: sandbox, metadata: { attempt: 0 } }];
  const found = podActions({
    pod,
    runtimePod: { sandboxes, containers: containers as unknown as ContainerStatus[] } as never,
    probes: { ...noProbes, liveness: () => liveness, startup: () => startup },
    resizing: new Set(resizing),
  });
  return {
    ...(found.killPod && { killPod: true }),
    ...(found.createSandbox && { createSandbox: found.attempt }),
    ...(found.init.length > 0 && { init: found.init }),
    ...(found.containers.length > 0 && { start: found.containers }),
    ...(found.kill.length > 0 && { kill: found.kill.map(({ message }) => message) }),
  };
}

const cases: readonly [string, Given, Record<string, unknown>][] = [
  [
    "a new pod gets a sandbox and its containers",
    { main: ["a", "b"], sandbox: "none" },
    { killPod: true, createSandbox: 0, start: ["a", "b"] },
  ],
  [
    "a new pod begins with its first init container",
    { main: ["a"], init: ["i", "j"], sandbox: "none" },
    { killPod: true, createSandbox: 0, init: ["i"] },
  ],
  [
    "a pod whose sandbox is gone begins anew",
    { main: ["a 1"], sandbox: "notReady" },
    { killPod: true, createSandbox: 1, start: ["a"] },
  ],
  [
    "a pod that runs once does not",
    { main: ["a 1"], policy: "Never", sandbox: "notReady" },
    { killPod: true },
  ],
  [
    "what has succeeded is not run again",
    { main: ["a 0", "b 1"], policy: "OnFailure", sandbox: "notReady" },
    { killPod: true, createSandbox: 1, start: ["b"] },
  ],
  ["a pod that runs is left alone", { main: ["a running", "b running"] }, {}],
  ["what has ended comes back", { main: ["a running", "b 0"] }, { start: ["b"] }],
  ["what has ended for good does not", { main: ["a running", "b 1"], policy: "Never" }, {}],
  [
    "a pod ends with its last container",
    { main: ["a 0", "b 1"], policy: "Never" },
    { killPod: true },
  ],
  ["the next init container follows", { main: ["a"], init: ["i 0", "j"] }, { init: ["j"] }],
  ["an init container that runs is waited for", { main: ["a"], init: ["i running", "j"] }, {}],
  ["an init container that failed is tried again", { main: ["a"], init: ["i 1"] }, { init: ["i"] }],
  ["or ends the pod", { main: ["a"], init: ["i 1"], policy: "Never" }, { killPod: true }],
  [
    "containers follow the last init container",
    { main: ["a"], init: ["i 0", "j 0"] },
    { start: ["a"] },
  ],
  [
    "a sidecar that has started lets the next begin",
    { main: ["a"], init: ["+s running", "j"] },
    { init: ["j"] },
  ],
  [
    "a sidecar that has not does not",
    { main: ["a"], init: ["+s running", "j"], startup: "unknown" },
    {},
  ],
  [
    "a sidecar that does not start is restarted",
    { main: ["a"], init: ["+s running"], startup: "failure" },
    { init: ["s"], kill: ["Init container s failed startup probe"] },
  ],
  [
    "sidecars come back while others run",
    { main: ["a running"], init: ["+s 1", "i 0", "+t running"] },
    { init: ["s"] },
  ],
  [
    "sidecars that are gone come back, init containers do not",
    { main: ["a running"], init: ["+s", "i"] },
    { init: ["s"] },
  ],
  [
    "sidecars keep no pod alive",
    { main: ["a 0"], init: ["+s running"], policy: "Never" },
    { killPod: true },
  ],
  [
    "who is not alive is restarted",
    { main: ["a running"], liveness: "failure" },
    { start: ["a"], kill: ["Container a failed liveness probe, will be restarted"] },
  ],
  [
    "or ends",
    { main: ["a running"], liveness: "failure", policy: "Never" },
    { killPod: true, kill: ["Container a failed liveness probe"] },
  ],
  [
    "a container with another image is restarted, whatever its policy",
    { main: ["a running", "b running"], changed: ["a"], policy: "Never" },
    { start: ["a"], kill: ["Container a definition changed, will be restarted"] },
  ],
  [
    "so is a sidecar",
    { main: ["a running"], init: ["+s running"], changed: ["s"] },
    { init: ["s"], kill: ["Init container s definition changed"] },
  ],
  [
    "a container that ended with another image obeys its policy",
    { main: ["a 0", "b running"], changed: ["a"], policy: "Never" },
    {},
  ],
  [
    "a resize may need a restart",
    { main: ["a running"], resizing: ["a"] },
    { start: ["a"], kill: ["Container a resize requires restart"] },
  ],
];

for (const [what, given, expected] of cases)
  test(`podActions: ${what}`, () => {
    expect(actions(given)).toEqual(expected);
  });
