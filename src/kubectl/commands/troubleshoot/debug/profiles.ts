import { containerNamed, type DebugPod, type DebugSecurityContext } from "./debug-pod.ts";

/** How a target is debugged: in a new container of the pod, in a copy of it, or in a pod on a node. */
export type DebugStyle = "ephemeral" | "copy" | "node";

/** What of a pod its copy keeps. */
export interface KeptParts {
  readonly labels: boolean;
  readonly annotations: boolean;
  readonly liveness: boolean;
  readonly readiness: boolean;
  readonly startup: boolean;
  readonly initContainers: boolean;
}

interface ProfileUse {
  readonly style: DebugStyle;
  /** The name of the container for debugging. */
  readonly container: string;
  readonly keep: KeptParts;
}

type Profile = (pod: DebugPod, use: ProfileUse) => void;

/** The profile of a name: it gives a pod what debugging needs. Throws for unknown names. */
export function profileNamed(name: string): Profile {
  const profile = profiles.get(name);
  if (!profile) throw new Error(`unknown profile: ${name}`);
  return profile;
}

const profiles: ReadonlyMap<string, Profile> = new Map<string, Profile>([
  [
    "legacy",
    (pod, { style, container }) => {
      if (style === "copy") delete pod.metadata.labels;
      if (style !== "node") return;
      mountRoot(pod, container);
      useHostNamespaces(pod);
    },
  ],
  [
    "general",
    (pod, { style, container, keep }) => {
      if (style === "node") {
        mountRoot(pod, container);
        clearSecurity(pod, container);
        useHostNamespaces(pod);
        return;
      }
      if (style === "copy") dropParts(pod, keep);
      addCapabilities(pod, container, ["SYS_PTRACE"]);
      if (style === "copy") shareProcesses(pod);
    },
  ],
  [
    "baseline",
    (pod, { style, container, keep }) => {
      clearSecurity(pod, container);
      if (style === "copy") makeCopy(pod, keep);
    },
  ],
  [
    "restricted",
    (pod, { style, container, keep }) => {
      clearSecurity(pod, container);
      changeSecurity(pod, container, (security) => {
        security.runAsNonRoot = true;
        security.capabilities = { drop: ["ALL"] };
        security.allowPrivilegeEscalation = false;
        security.seccompProfile = { type: "RuntimeDefault" };
      });
      if (style === "copy") makeCopy(pod, keep);
    },
  ],
  [
    "netadmin",
    (pod, { style, container, keep }) => {
      addCapabilities(pod, container, ["NET_ADMIN", "NET_RAW"]);
      if (style === "node") useHostNamespaces(pod);
      if (style === "copy") makeCopy(pod, keep);
    },
  ],
  [
    "sysadmin",
    (pod, { style, container, keep }) => {
      changeSecurity(pod, container, (security) => {
        security.privileged = true;
      });
      if (style === "copy") makeCopy(pod, keep);
      if (style !== "node") return;
      useHostNamespaces(pod);
      mountRoot(pod, container);
    },
  ],
]);

function makeCopy(pod: DebugPod, keep: KeptParts): void {
  dropParts(pod, keep);
  shareProcesses(pod);
}

function dropParts({ metadata, spec }: DebugPod, keep: KeptParts): void {
  if (!keep.labels) delete metadata.labels;
  if (!keep.annotations) delete metadata.annotations;
  for (const container of spec.containers) {
    if (!keep.liveness) delete container.livenessProbe;
    if (!keep.readiness) delete container.readinessProbe;
    if (!keep.startup) delete container.startupProbe;
  }
  if (!keep.initContainers) delete spec.initContainers;
}

function shareProcesses({ spec }: DebugPod): void {
  spec.shareProcessNamespace ??= true;
}

/** Mounts the file system of the node at /host. */
function mountRoot({ spec }: DebugPod, name: string): void {
  const volume = "host-root";
  spec.volumes = [...(spec.volumes ?? []), { name: volume, hostPath: { path: "/" } }];
  const container = spec.containers.find((one) => one.name === name);
  if (!container) return;
  container.volumeMounts = [
    ...(container.volumeMounts ?? []),
    { name: volume, mountPath: "/host" },
  ];
}

function useHostNamespaces({ spec }: DebugPod): void {
  spec.hostNetwork = true;
  spec.hostPID = true;
  spec.hostIPC = true;
}

function clearSecurity(pod: DebugPod, name: string): void {
  const container = containerNamed(pod, name);
  if (container) delete container.securityContext;
}

function changeSecurity(
  pod: DebugPod,
  name: string,
  change: (security: DebugSecurityContext) => void,
): void {
  const container = containerNamed(pod, name);
  if (!container) return;
  container.securityContext ??= {};
  change(container.securityContext);
}

function addCapabilities(pod: DebugPod, name: string, capabilities: readonly string[]): void {
  changeSecurity(pod, name, (security) => {
    security.capabilities ??= {};
    const { add = [] } = security.capabilities;
    security.capabilities.add = [...add, ...capabilities];
  });
}
