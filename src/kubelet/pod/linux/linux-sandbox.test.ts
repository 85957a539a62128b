import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { PodSandboxConfig } from "../../../cri/runtime-types.ts";
import { sandboxConfig } from "../container/container-config.ts";
import { linuxPod, linuxSettings, podWith, recorder } from "./linux.test-support.ts";
import { linuxSandbox } from "./linux-sandbox.ts";
import type { LinuxSettings, PodLookups } from "./linux-settings.ts";
import { portMappings } from "./port-mappings.ts";

function sandboxOf(
  spec: object,
  lookups: PodLookups = {},
  settings: Partial<LinuxSettings> = {},
): PodSandboxConfig {
  const pod = linuxPod(spec);
  const { record } = recorder();
  const all = { ...linuxSettings, ...settings };
  return linuxSandbox(sandboxConfig(pod, 0), { pod, record, ...lookups }, all);
}

const ids = [{ containerId: 0, hostId: 65_536, length: 65_536 }];
const ownUsers: PodLookups["userNamespace"] = { mode: "pod", uids: ids, gids: ids };

const privileged = { name: "d", image: "i", securityContext: { privileged: true } };

each<[string, object, PodLookups, Partial<PodSandboxConfig>]>([
  [
    "defaults",
    {},
    {},
    {
      ...{ hostname: "p", logDirectory: "/var/log/pods/ns_p_u1", sysctls: {} },
      cgroupParent: "/kubepods/besteffort/podu1",
      dns: {
        servers: ["10.0.0.10"],
        searches: ["ns.svc.cluster.local", "svc.cluster.local", "cluster.local", "example.com"],
        options: ["ndots:5"],
      },
      security: {
        ...{ privileged: false, supplementalGroups: [], seccomp: { type: "runtimeDefault" } },
        namespaces: {
          ...{ network: "pod", ipc: "pod", pid: "container" },
          user: { mode: "node", uids: [], gids: [] },
        },
      },
    },
  ],
  [
    "a fully qualified name",
    { hostname: "h1", subdomain: "sub", setHostnameAsFQDN: true },
    {},
    { hostname: "h1.sub.ns.svc.cluster.local" },
  ],
  ["the network of the node", { hostNetwork: true }, {}, { hostname: "" }],
  [
    "a privileged container",
    { ephemeralContainers: [privileged] },
    {},
    { security: { privileged: true } },
  ],
  [
    "settings of the pod",
    {
      securityContext: {
        ...{ runAsUser: 1, runAsGroup: 2, fsGroup: 3, supplementalGroups: [4] },
        ...{ supplementalGroupsPolicy: "Merge", sysctls: [{ name: "a.b", value: "1" }] },
        seccompProfile: { type: "Unconfined" },
      },
    },
    { volumeGroups: [9] },
    {
      sysctls: { "a.b": "1" },
      security: {
        ...{ runAsUser: 1, runAsGroup: 2, supplementalGroups: [3, 9, 4] },
        ...{ supplementalGroupsPolicy: "merge", seccomp: { type: "runtimeDefault" } },
      },
    },
  ],
  [
    "users of its own",
    { hostUsers: false },
    { userNamespace: ownUsers },
    { security: { namespaces: { network: "pod", ipc: "pod", pid: "container", user: ownUsers } } },
  ],
  ["a runtime class", {}, { runtimeHandler: "kata" }, { runtimeHandler: "kata" }],
])("linuxSandbox: %s", (_, spec, lookups, expected) => {
  expect(sandboxOf(spec, lookups)).toMatchObject(expected);
});

each<[PodLookups, string]>([
  [{}, "runtime"],
  [{ runtimeHandler: "kata" }, 'RuntimeClass handler "kata"'],
])(
  "linuxSandbox: a pod does not run with users of the node against its will: %j",
  (lookups, who) => {
    expect(() => sandboxOf({ hostUsers: false }, lookups)).toThrow(
      `can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`,
    );
  },
);

test("linuxSandbox: pods without cgroups have no parent", () => {
  expect(sandboxOf({}, {}, { cgroups: undefined }).cgroupParent).toBeUndefined();
});

test("portMappings: those of all containers, each once", () => {
  const ports = [
    { containerPort: 80, hostPort: 8080, hostIP: "192.0.2.1" },
    { containerPort: 53, protocol: "UDP" },
    { containerPort: 53, protocol: "UDP" },
  ];
  expect(portMappings(podWith({ ports }))).toEqual([
    { protocol: "TCP", containerPort: 80, hostPort: 8080, hostIp: "192.0.2.1" },
    { protocol: "UDP", containerPort: 53, hostPort: 0, hostIp: "" },
  ]);
});
