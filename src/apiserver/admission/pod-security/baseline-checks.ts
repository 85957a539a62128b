import { allContainers } from "../../../api/core/v1/pod/pod-containers.ts";
import {
  type Check,
  type CheckPod,
  containersThat,
  counted,
  plural,
  quoted,
  setters,
  sorted,
} from "./check.ts";
import { exceptInUserNamespace } from "./exceptions.ts";
import {
  appArmorProfile,
  containerTypes,
  seccompAnnotations,
  seccompProfile,
  seLinuxOptions,
} from "./profile-checks.ts";

/** The capabilities that container runtimes add by default, without NET_RAW. */
const usualCapabilities = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

const capabilities: CheckPod = (pod) => {
  const unusual = (add: readonly string[] = []) =>
    add.filter((name) => !usualCapabilities.includes(name));
  const containers = containersThat(
    pod,
    ({ securityContext }) => unusual(securityContext?.capabilities?.add).length > 0,
  );
  if (containers.length === 0) return undefined;
  const names = allContainers(pod.spec).flatMap(({ securityContext }) =>
    unusual(securityContext?.capabilities?.add),
  );
  return {
    reason: "non-default capabilities",
    detail: `${counted("container", containers)} must not include ${quoted(sorted(names))} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: CheckPod = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name]);
  return shared.length === 0
    ? undefined
    : { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
};

const hostPathVolumes: CheckPod = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  return names.length === 0
    ? undefined
    : { reason: "hostPath volumes", detail: counted("volume", names) };
};

const hostPorts: CheckPod = (pod) => {
  const containers = containersThat(pod, ({ ports }) =>
    (ports ?? []).some(({ hostPort }) => hostPort),
  );
  if (containers.length === 0) return undefined;
  const used = allContainers(pod.spec).flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [`${hostPort}`] : [])),
  );
  const ports = sorted(used);
  return {
    reason: "hostPort",
    detail: `${counted("container", containers)} ${uses(containers)} ${plural("hostPort", ports.length)} ${ports.join(", ")}`,
  };
};

const uses = (names: readonly string[]): string => (names.length === 1 ? "uses" : "use");

const hostProbes: CheckPod = (pod) => {
  const bad = allContainers(pod.spec).flatMap((container) => {
    const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
    const handlers = [
      livenessProbe,
      readinessProbe,
      startupProbe,
      lifecycle?.postStart,
      lifecycle?.preStop,
    ];
    return handlers
      .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
      .flatMap((host) => (host ? [{ host, name: container.name }] : []));
  });
  if (bad.length === 0) return undefined;
  const containers = sorted(bad.map(({ name }) => name));
  const hosts = sorted(bad.map(({ host }) => host));
  return {
    reason: "probe or lifecycle host",
    detail: `${counted("container", containers)} ${uses(containers)} ${counted("probe or lifecycle host", hosts)}`,
  };
};

const privileged: CheckPod = (pod) => {
  const containers = containersThat(
    pod,
    ({ securityContext }) => securityContext?.privileged === true,
  );
  return containers.length === 0
    ? undefined
    : {
        reason: "privileged",
        detail: `${counted("container", containers)} must not set securityContext.privileged=true`,
      };
};

/** /proc is mounted with its dangerous parts hidden. */
export const procMount: CheckPod = (pod) => {
  const isOdd = (mount: string | undefined) => mount !== undefined && mount !== "Default";
  const containers = containersThat(pod, (one) => isOdd(one.securityContext?.procMount));
  const mounts = allContainers(pod.spec).map((one) => one.securityContext?.procMount);
  return containers.length === 0
    ? undefined
    : {
        reason: "procMount",
        detail: `${counted("container", containers)} must not set securityContext.procMount to ${quoted(sorted(mounts.filter((mount) => mount !== undefined).filter(isOdd)))}`,
      };
};

const sysctls1 = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const sysctls27 = [...sysctls1, "net.ipv4.ip_local_reserved_ports"];
const sysctls29 = [
  ...sysctls27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const sysctls32 = [...sysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const sysctls =
  (allowed: readonly string[]): CheckPod =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? [])
      .map(({ name }) => name)
      .filter((name) => !allowed.includes(name));
    return names.length === 0
      ? undefined
      : { reason: "forbidden sysctls", detail: names.join(", ") };
  };

const windowsHostProcess: CheckPod = (pod) => {
  const containers = containersThat(
    pod,
    ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true,
  );
  const isPodOne = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const who = setters(isPodOne, containers);
  return who.length === 0
    ? undefined
    : {
        reason: "hostProcess",
        detail: `${who.join(" and ")} must not set securityContext.windowsOptions.hostProcess=true`,
      };
};

/** The checks of the level baseline, in the order in which violations are reported. */
export const baselineChecks: readonly Check[] = [
  { id: "appArmorProfile", versions: [[0, appArmorProfile]] },
  { id: "capabilities_baseline", versions: [[0, capabilities]] },
  { id: "hostNamespaces", versions: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", versions: [[0, hostPathVolumes]] },
  { id: "hostPorts", versions: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", versions: [[34, hostProbes]] },
  { id: "privileged", versions: [[0, privileged]] },
  {
    id: "procMount",
    versions: [
      [0, procMount],
      [35, exceptInUserNamespace(procMount)],
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      [0, seLinuxOptions(containerTypes)],
      [31, seLinuxOptions([...containerTypes, "container_engine_t"])],
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      [0, seccompAnnotations],
      [19, seccompProfile],
    ],
  },
  {
    id: "sysctls",
    versions: [
      [0, sysctls(sysctls1)],
      [27, sysctls(sysctls27)],
      [29, sysctls(sysctls29)],
      [32, sysctls(sysctls32)],
    ],
  },
  { id: "windowsHostProcess", versions: [[0, windowsHostProcess]] },
];
