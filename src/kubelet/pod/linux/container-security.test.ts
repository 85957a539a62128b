import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Image } from "../../../cri/image-service.ts";
import type { ContainerSecurityContext } from "../../../cri/linux-types.ts";
import { containerSecurity } from "./container-security.ts";
import { firstContainer, linuxSettings, podWith } from "./linux.test-support.ts";
import type { LinuxSettings } from "./linux-settings.ts";

const image: Image = { id: "sha256:1", repoTags: [], repoDigests: [], sizeBytes: 1 };

interface Given {
  readonly container?: object;
  readonly pod?: object;
  readonly image?: Partial<Image>;
  readonly settings?: Partial<LinuxSettings>;
  readonly targetId?: string;
}

function securityOf(given: Given): ContainerSecurityContext {
  const pod = podWith({ securityContext: given.container }, given.pod);
  return containerSecurity(
    {
      ...{ pod, container: firstContainer(pod), image: { ...image, ...given.image } },
      targetId: given.targetId,
    },
    { ...linuxSettings, ...given.settings },
  );
}

const ofPod = (securityContext: object) => ({ securityContext });
const label = { user: "u", role: "r", type: "t", level: "l" };

const usersOfNode = { mode: "node", uids: [], gids: [] } as const;

each<[string, Given, Partial<ContainerSecurityContext>]>([
  [
    "defaults",
    {},
    {
      ...{ privileged: false, readonlyRootfs: false, noNewPrivileges: false, runAsUser: 0 },
      ...{ supplementalGroups: [], seccomp: { type: "unconfined" } },
      namespaces: { network: "pod", ipc: "pod", pid: "container", user: usersOfNode },
    },
  ],
  ["the user of the image", { image: { uid: 7 } }, { runAsUser: 7, runAsUsername: undefined }],
  ["its name", { image: { username: "web" } }, { runAsUser: undefined, runAsUsername: "web" }],
  [
    "the user of the pod",
    { pod: ofPod({ runAsUser: 1, runAsGroup: 2 }), image: { username: "web" } },
    { runAsUser: 1, runAsGroup: 2, runAsUsername: undefined },
  ],
  [
    "the user of the container",
    { pod: ofPod({ runAsUser: 1, runAsGroup: 2 }), container: { runAsUser: 3, runAsGroup: 4 } },
    { runAsUser: 3, runAsGroup: 4 },
  ],
  [
    "groups",
    {
      pod: ofPod({ fsGroup: 9, supplementalGroups: [5, 6], supplementalGroupsPolicy: "Strict" }),
    },
    { supplementalGroups: [9, 5, 6], supplementalGroupsPolicy: "strict" },
  ],
  [
    "capabilities",
    { container: { capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] } } },
    { capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] } },
  ],
  [
    "privileges",
    {
      container: {
        ...{ privileged: true, readOnlyRootFilesystem: true, allowPrivilegeEscalation: true },
      },
    },
    { privileged: true, readonlyRootfs: true, noNewPrivileges: false },
  ],
  ["no escalation", { container: { allowPrivilegeEscalation: false } }, { noNewPrivileges: true }],
  [
    "the default of paths",
    { settings: { maskedPaths: ["/proc/kcore"] } },
    { maskedPaths: ["/proc/kcore"], readonlyPaths: undefined },
  ],
  [
    "all of /proc",
    { container: { procMount: "Unmasked" } },
    { maskedPaths: [], readonlyPaths: [] },
  ],
  [
    "the profile of the runtime as the default",
    { settings: { seccompDefault: true } },
    { seccomp: { type: "runtimeDefault" } },
  ],
  [
    "a seccomp profile of the node",
    {
      pod: ofPod({ seccompProfile: { type: "RuntimeDefault" } }),
      container: { seccompProfile: { type: "Localhost", localhostProfile: "a/b.json" } },
    },
    { seccomp: { type: "localhost", ref: "/var/lib/kubelet/seccomp/a/b.json" } },
  ],
  [
    "the seccomp profile of the pod",
    { pod: ofPod({ seccompProfile: { type: "RuntimeDefault" } }) },
    { seccomp: { type: "runtimeDefault" } },
  ],
  [
    "no seccomp profile, on request",
    { container: { seccompProfile: { type: "Unconfined" } }, settings: { seccompDefault: true } },
    { seccomp: { type: "unconfined" } },
  ],
  [
    "an AppArmor profile of the node",
    { pod: ofPod({ appArmorProfile: { type: "Localhost", localhostProfile: "x" } }) },
    { apparmor: { type: "localhost", ref: "x" } },
  ],
  ["SELinux", { pod: ofPod({ seLinuxOptions: label }) }, { selinux: label }],
  [
    "namespaces of the node",
    { pod: { hostNetwork: true, hostPID: true, hostIPC: true }, targetId: "x" },
    { namespaces: { network: "node", ipc: "node", pid: "node", user: usersOfNode } },
  ],
  [
    "shared processes",
    { pod: { shareProcessNamespace: true }, targetId: "x" },
    { namespaces: { network: "pod", ipc: "pod", pid: "pod", user: usersOfNode } },
  ],
  [
    "the processes of another container",
    { targetId: "x" },
    {
      namespaces: { network: "pod", ipc: "pod", pid: "target", targetId: "x", user: usersOfNode },
    },
  ],
])("containerSecurity: %s", (_, given, expected) => {
  expect(securityOf(given)).toMatchObject(expected);
});

const where = '(pod: "p_ns(u1)", container: c)';

each<[string, Given, string]>([
  [
    "the container asks for root",
    { container: { runAsUser: 0 } },
    `container's runAsUser breaks non-root policy ${where}`,
  ],
  ["the image says nothing", {}, `container has runAsNonRoot and image will run as root ${where}`],
  [
    "the user of the image has a name",
    { image: { username: "web" } },
    `container has runAsNonRoot and image has non-numeric user (web), cannot verify user is non-root ${where}`,
  ],
  [
    "the user of the image is impossible",
    { image: { uid: 2_147_483_648 } },
    `container has runAsNonRoot and image has an invalid user id (2147483648). (Must be 1-(2147483647)): must be between 0 and 2147483647, inclusive ${where}`,
  ],
])("containerSecurity: runAsNonRoot fails if %s", (_, given, message) => {
  expect(() => securityOf({ ...given, pod: ofPod({ runAsNonRoot: true }) })).toThrow(message);
});

each<[string, Given]>([
  ["a number in the pod", { container: { runAsUser: 5 } }],
  ["a number in the image", { image: { uid: 5 } }],
  ["a container that may be root", { container: { runAsNonRoot: false } }],
])("containerSecurity: runAsNonRoot allows %s", (_, given) => {
  expect(() => securityOf({ ...given, pod: ofPod({ runAsNonRoot: true }) })).not.toThrow();
});
