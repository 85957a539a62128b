import type { At } from "../../../../../schema/language/report.ts";
import { containersWithPath } from "../pod-containers.ts";
import type { PodSpec } from "../pod-spec.ts";

const systems = ["linux", "windows"];

/** The operating system is known, and the pod sets nothing that it does not have. */
export function validatePodOs(spec: PodSpec, at: At): void {
  const name = spec.os?.name;
  if (name === undefined) return;
  if (name === "") at.required("os.name");
  else if (!systems.includes(name)) at.notSupported("os", name, systems);
  else if (name === "linux") validateLinux(spec, at);
  else validateWindows(spec, at);
}

function validateLinux(spec: PodSpec, at: At): void {
  const detail = "windows options cannot be set for a linux pod";
  if (spec.securityContext?.windowsOptions) at.forbidden("securityContext.windowsOptions", detail);
  for (const [{ securityContext }, here] of containersWithPath(spec, at))
    if (securityContext?.windowsOptions) here.forbidden("securityContext.windowsOptions", detail);
}

/** In upstream's order; some stand in the spec itself. */
const notOnWindows = [
  "appArmorProfile",
  "seLinuxOptions",
  "/hostUsers",
  "/hostPID",
  "/hostIPC",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "/shareProcessNamespace",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
];
const notOnWindowsContainers = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

function validateWindows(spec: PodSpec, at: At): void {
  const detail = "cannot be set for a windows pod";
  const context = (spec.securityContext ?? {}) as Readonly<Record<string, unknown>>;
  const whole = spec as unknown as Readonly<Record<string, unknown>>;
  for (const name of notOnWindows) {
    const outside = name.startsWith("/") ? name.slice(1) : undefined;
    if (outside ? whole[outside] !== undefined : context[name] !== undefined)
      at.forbidden(outside ?? `securityContext.${name}`, detail);
  }
  for (const [{ securityContext }, here] of containersWithPath(spec, at))
    for (const name of notOnWindowsContainers)
      if (securityContext?.[name] !== undefined) here.forbidden(`securityContext.${name}`, detail);
}

/** Containers that run as processes of a Windows node: all of a pod's or none, on its network. */
export function validateWindowsHostProcess(spec: PodSpec, at: At): void {
  const wholePod = spec.securityContext?.windowsOptions?.hostProcess;
  let count = 0;
  let hostProcesses = 0;
  for (const [{ securityContext }, here] of containersWithPath(spec, at)) {
    count++;
    const own = securityContext?.windowsOptions?.hostProcess;
    if (wholePod !== undefined && own !== undefined && wholePod !== own)
      here.invalid(
        "securityContext.windowsOptions.hostProcess",
        own,
        `pod hostProcess value must be identical if both are specified, was ${wholePod}`,
      );
    if (own ?? wholePod) hostProcesses++;
  }
  if (hostProcesses === 0) return;
  if (hostProcesses !== count)
    at.invalid(
      "",
      "",
      "If pod contains any hostProcess containers then all containers must be HostProcess containers",
    );
  if (!spec.hostNetwork)
    at.invalid(
      "hostNetwork",
      false,
      "hostNetwork must be true if pod contains any hostProcess containers",
    );
  if (at.options.flags?.refusesPrivileged)
    at.forbidden("", "hostProcess containers are disallowed by cluster policy");
}
