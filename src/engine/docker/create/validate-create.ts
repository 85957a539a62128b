import { isIP } from "node:net";
import { cpus } from "node:os";
import { signalNumber } from "../../containers/signal-number.ts";
import { badRequest } from "../http/docker-error.ts";
import { isPort } from "../network/port-requests.ts";
import type { ContainerConfig } from "./container-config.ts";
import type { HostConfig } from "./host-config.ts";
import { networkModeProblem } from "./network-mode.ts";
import { resourcesProblem } from "./resources-problem.ts";

/** Rejects a container that cannot be; resolves with warnings that the client prints. */
export function validateCreate(config: ContainerConfig, host: HostConfig): readonly string[] {
  const problem =
    networkModeProblem(config, host) ??
    configProblem(config) ??
    hostProblem(host) ??
    resourcesProblem(host, cpus().length) ??
    modeProblem(host);
  if (problem !== undefined) throw badRequest(problem);
  return warningsOf(host);
}

/** Why the restart policy is not valid. */
export function restartPolicyProblem(policy: HostConfig["RestartPolicy"]): string | undefined {
  const { Name: name, MaximumRetryCount: most } = policy;
  if (name === "") return undefined;
  if (["always", "unless-stopped", "no"].includes(name)) {
    if (most === 0) return undefined;
    const only = "invalid restart policy: maximum retry count can only be used with 'on-failure'";
    return most < 0 ? `${only} and cannot be negative` : only;
  }
  if (name !== "on-failure")
    return `invalid restart policy: unknown policy '${name}'; use one of 'no', 'always', 'on-failure', or 'unless-stopped'`;
  return most < 0 ? "invalid restart policy: maximum retry count cannot be negative" : undefined;
}

function configProblem(config: ContainerConfig): string | undefined {
  if (config.WorkingDir !== "" && !config.WorkingDir.startsWith("/"))
    return `the working directory '${config.WorkingDir}' is invalid, it needs to be an absolute path`;
  if (config.StopSignal !== "" && signalNumber(config.StopSignal) === undefined)
    return `invalid signal: ${config.StopSignal}`;
  const variable = (config.Env ?? []).find((one) => one === "" || one.startsWith("="));
  if (variable !== undefined) return `invalid environment variable: ${variable}`;
  if (config.Hostname.length > 64)
    return `hostname "${config.Hostname}" is too long (maximum 64 bytes)`;
  const port = Object.keys(config.ExposedPorts ?? {}).find((one) => !isPort(one));
  if (port !== undefined) return `invalid port specification: "${port}"`;
  return healthcheckProblem(config);
}

function healthcheckProblem({ Healthcheck: check }: ContainerConfig): string | undefined {
  if (check === null) return undefined;
  for (const name of ["Interval", "Timeout"] as const)
    if (tooShort(check[name])) return `${name} in Healthcheck cannot be less than 1ms`;
  if (check.Retries < 0) return "Retries in Healthcheck cannot be negative";
  for (const name of ["StartPeriod", "StartInterval"] as const)
    if (tooShort(check[name])) return `${name} in Healthcheck cannot be less than 1ms`;
  return undefined;
}

const tooShort = (nanoseconds: number): boolean => nanoseconds !== 0 && nanoseconds < 1_000_000;

function hostProblem(host: HostConfig): string | undefined {
  const restarts = !["", "no"].includes(host.RestartPolicy.Name);
  if (host.AutoRemove && restarts) return "can't create 'AutoRemove' container with restart policy";
  const extra = (host.ExtraHosts ?? []).find((one) => !/^[^:=\s]+[:=]\S+$/.test(one));
  if (extra !== undefined) return `bad format for add-host: "${extra}"`;
  return portProblem(host) ?? restartPolicyProblem(host.RestartPolicy);
}

function portProblem({ PortBindings: bindings }: HostConfig): string | undefined {
  for (const [port, hosts] of Object.entries(bindings ?? {})) {
    if (!isPort(port)) return `invalid port specification: "${port}"`;
    const address = (hosts ?? []).find(({ HostIp }) => HostIp !== "" && isIP(HostIp) === 0);
    if (address !== undefined) return `invalid IP address: ${address.HostIp}`;
    const wrong = (hosts ?? []).find(
      ({ HostPort }) => !/^(?:[0-9]{1,5}(?:-[0-9]{1,5})?)?$/.test(HostPort),
    );
    if (wrong !== undefined) return `invalid port specification: "${wrong.HostPort}"`;
  }
  return undefined;
}

function modeProblem(host: HostConfig): string | undefined {
  if (!/^(?:|none|host|private|shareable|container:.+)$/.test(host.IpcMode))
    return `invalid IPC mode: ${host.IpcMode}`;
  if (!/^(?:|host|container:.+)$/.test(host.PidMode)) return `invalid PID mode: ${host.PidMode}`;
  if (host.ShmSize < 0) return "SHM size can not be less than 0";
  if (!/^(?:|host)$/.test(host.UTSMode)) return `invalid UTS mode: ${host.UTSMode}`;
  if (host.OomScoreAdj < -1000 || host.OomScoreAdj > 1000)
    return `Invalid value ${host.OomScoreAdj}, range for oom score adj is [-1000, 1000]`;
  if (!["", "runc"].includes(host.Runtime))
    return `unknown or invalid runtime name: ${host.Runtime}`;
  const root = Object.keys(host.Tmpfs ?? {}).find((path) => path === "/" || !path.startsWith("/"));
  if (root === "/") return "invalid specification: destination can't be '/'";
  if (root !== undefined) return `invalid mount path: '${root}' mount path must be absolute`;
  if (!/^(?:|host|private)$/.test(host.CgroupnsMode))
    return `invalid cgroup namespace mode: ${host.CgroupnsMode}`;
  if (!["", "json-file", "local", "none"].includes(host.LogConfig.Type))
    return `logger: no log driver named '${host.LogConfig.Type}' is registered`;
  const [request] = host.DeviceRequests ?? [];
  if (request !== undefined) {
    const capabilities = (request.Capabilities ?? []).map((all) => `[${(all ?? []).join(" ")}]`);
    return `could not select device driver "${request.Driver}" with capabilities: [${capabilities.join(" ")}]`;
  }
  return undefined;
}

function warningsOf(host: HostConfig): readonly string[] {
  const warnings: string[] = [];
  if (host.NetworkMode === "host" && Object.keys(host.PortBindings ?? {}).length > 0)
    warnings.push("Published ports are discarded when using host network mode");
  if (host.OomKillDisable && host.Memory === 0)
    warnings.push(
      "OOM killer is disabled for the container, but no memory limit is set, this can result in the system running out of resources.",
    );
  if (host.CpuPercent > 0) warnings.push("linux does not support CPU percent. Percent discarded.");
  for (const name of discarded(host))
    warnings.push(`${name} is not supported by this engine. Setting discarded.`);
  return warnings;
}

/** The settings that are accepted and have no effect here. */
function discarded(host: HostConfig): readonly string[] {
  const devices = [
    ...(host.BlkioWeightDevice ?? []),
    ...(host.BlkioDeviceReadBps ?? []),
    ...(host.BlkioDeviceWriteBps ?? []),
    ...(host.BlkioDeviceReadIOps ?? []),
    ...(host.BlkioDeviceWriteIOps ?? []),
  ];
  return [
    ...Object.keys(host.LogConfig.Config ?? {}).map((name) => `Log option ${name}`),
    ...Object.keys(host.StorageOpt ?? {}).map((name) => `Storage option ${name}`),
    ...((host.DeviceCgroupRules ?? []).length > 0 ? ["Device cgroup rule"] : []),
    ...(devices.length > 0 ? ["Block I/O limit of a device"] : []),
    ...(host.MemorySwappiness !== null && host.MemorySwappiness !== -1
      ? ["Memory swappiness"]
      : []),
  ];
}
