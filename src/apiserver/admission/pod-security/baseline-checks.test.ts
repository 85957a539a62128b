import { expect, test } from "vitest";
import type { PodLike } from "./check.ts";
import { detailText, evaluate } from "./evaluate.ts";

const violated = (pod: object, version = "latest"): string =>
  detailText(evaluate({ level: "baseline", version }, pod as unknown as PodLike));

/** A pod with such a spec, and containers c, d… with such members. */
const pod = (spec: object, ...containers: object[]) => ({
  spec: {
    containers: containers.map((more, i) => ({ name: "cdef"[i], ...more })),
    ...spec,
  },
});
const secure = (securityContext: object) => ({ securityContext });

test.each([
  [
    "privileged containers, of all lists",
    pod(
      {
        initContainers: [{ name: "i", ...secure({ privileged: true }) }],
        ephemeralContainers: [{ name: "e", ...secure({ privileged: true }) }],
      },
      secure({ privileged: false }),
      secure({ privileged: true }),
    ),
    'privileged (containers "i", "d", "e" must not set securityContext.privileged=true)',
  ],
  [
    "namespaces of the node",
    pod({ hostIPC: true, hostNetwork: true, hostPID: false }),
    "host namespaces (hostNetwork=true, hostIPC=true)",
  ],
  [
    "folders of the node",
    pod({
      volumes: [
        { name: "a", hostPath: {} },
        { name: "b", emptyDir: {} },
      ],
    }),
    'hostPath volumes (volume "a")',
  ],
  [
    "ports of the node",
    pod({}, { ports: [{ hostPort: 90 }, { hostPort: 100 }] }, { ports: [{ hostPort: 90 }, {}] }),
    'hostPort (containers "c", "d" use hostPorts 100, 90)',
  ],
  [
    "capabilities",
    pod(
      {},
      secure({ capabilities: { add: ["NET_RAW", "CHOWN"] } }),
      secure({ capabilities: { add: ["BPF"] } }),
      secure({ capabilities: { add: ["KILL"] } }),
    ),
    'non-default capabilities (containers "c", "d" must not include "BPF", "NET_RAW" in securityContext.capabilities.add)',
  ],
  [
    "probes of others",
    pod(
      {},
      { livenessProbe: { httpGet: { host: "b" } }, startupProbe: { httpGet: { host: "" } } },
      { lifecycle: { preStop: { tcpSocket: { host: "a" } } } },
    ),
    'probe or lifecycle host (containers "c", "d" use probe or lifecycle hosts "a", "b")',
  ],
  [
    "/proc as it is",
    pod({}, secure({ procMount: "Unmasked" }), secure({ procMount: "Default" })),
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    "kernel parameters",
    pod(secure({ sysctls: [{ name: "b" }, { name: "net.ipv4.tcp_rmem" }, { name: "a" }] })),
    "forbidden sysctls (b, a)",
  ],
  [
    "processes of a Windows node",
    pod(
      secure({ windowsOptions: { hostProcess: true } }),
      secure({ windowsOptions: { hostProcess: true } }),
    ),
    'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
])("baselineChecks: %s", (_, given, text) => {
  expect(violated(given)).toBe(text);
});

const unmasked = pod({ hostUsers: false }, secure({ procMount: "Unmasked" }));
const probe = pod({}, { readinessProbe: { tcpSocket: { host: "h" } } });
const sysctl = (name: string) => pod(secure({ sysctls: [{ name }] }));

test.each([
  ["probes of others", probe, 34],
  ["/proc as it is", unmasked, 35],
  ["ports", sysctl("net.ipv4.ip_local_reserved_ports"), 27],
  ["timeouts", sysctl("net.ipv4.tcp_fin_timeout"), 29],
  ["memory", sysctl("net.ipv4.tcp_wmem"), 32],
] as const)("baselineChecks: %s changed in a version", (_, given, since) => {
  const [before, after] = [violated(given, `v1.${since - 1}`), violated(given, `v1.${since}`)];
  expect([before, after].filter((text) => text === "").length).toBe(1);
  expect(after === "").toBe(given !== probe);
});
