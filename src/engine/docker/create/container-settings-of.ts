import type { LinuxResources } from "../../../platform/cgroups/linux-resources.ts";
import type {
  CapabilitySets,
  ContainerSettings,
  DeviceSettings,
  NamespaceSettings,
  ProcessUser,
} from "../../containers/container-settings.ts";
import type { DockerDetails } from "./docker-details.ts";
import type { HostConfig } from "./host-config.ts";
import { mountsOf } from "./mounts-of.ts";
import type { SecurityOptions } from "./security-options.ts";

/** What the settings of a container depend on beside what was recorded: the host, its image and others. */
export interface SettingsFacts {
  readonly id: string;
  readonly user: ProcessUser;
  readonly namespaces: NamespaceSettings;
  readonly capabilities: CapabilitySets;
  readonly security: SecurityOptions;
  readonly seccomp: object | undefined;
  readonly devices: readonly DeviceSettings[];
  readonly defaultMaskedPaths: readonly string[];
  readonly defaultReadonlyPaths: readonly string[];
  /** The files that are mounted at `/etc/hosts` and the like. */
  readonly etcFiles: Readonly<Record<string, string>>;
  /** The folder of its shared memory, if others may use it, too. */
  readonly shmFolder?: string | undefined;
  /** The program that reaps processes, if the container has one. */
  readonly initProgram?: string | undefined;
  readonly hostname: string;
}

/** The settings by which a container runs. */
export function containerSettingsOf(
  details: DockerDetails,
  facts: SettingsFacts,
): ContainerSettings {
  const { config, hostConfig: host } = details;
  const command = [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])];
  return {
    args: facts.initProgram === undefined ? command : ["/dev/init", "--", ...command],
    env: environment(details, facts.hostname),
    cwd: config.WorkingDir || "/",
    user: facts.user,
    tty: config.Tty,
    hostname: facts.hostname,
    readonlyRootfs: host.ReadonlyRootfs,
    namespaces: facts.namespaces,
    mounts: mountsOf(details, facts),
    privileged: host.Privileged,
    capabilities: facts.capabilities,
    noNewPrivileges: facts.security.noNewPrivileges,
    seccomp: facts.seccomp,
    apparmorProfile: facts.security.apparmor,
    maskedPaths: host.Privileged ? [] : (host.MaskedPaths ?? facts.defaultMaskedPaths),
    readonlyPaths: host.Privileged ? [] : (host.ReadonlyPaths ?? facts.defaultReadonlyPaths),
    devices: facts.devices,
    rlimits: (host.Ulimits ?? []).map(({ Name, Soft, Hard }) => ({
      type: `RLIMIT_${Name.toUpperCase()}`,
      soft: Soft,
      hard: Hard,
    })),
    sysctls: sysctlsOf(details, facts.namespaces),
    ...(host.OomScoreAdj !== 0 && { oomScoreAdj: host.OomScoreAdj }),
    cgroupsPath: `${host.CgroupParent || "/docker"}/${facts.id}`,
    resources: resourcesOf(host),
    annotations: host.Annotations ?? {},
  };
}

/** The limits of a container; those that are zero are left as they are. */
export function resourcesOf(host: HostConfig): LinuxResources {
  const period = host.NanoCpus > 0 ? cpuPeriod : host.CpuPeriod;
  const quota = host.NanoCpus > 0 ? Math.round((host.NanoCpus * cpuPeriod) / 1e9) : host.CpuQuota;
  const { PidsLimit: pids } = host;
  return {
    ...(host.CpuShares > 0 && { cpuShares: host.CpuShares }),
    ...(quota !== 0 && { cpuQuota: quota }),
    ...(period > 0 && { cpuPeriod: period }),
    ...(host.CpusetCpus !== "" && { cpusetCpus: host.CpusetCpus }),
    ...(host.CpusetMems !== "" && { cpusetMems: host.CpusetMems }),
    ...(host.Memory > 0 && { memoryLimitBytes: host.Memory }),
    ...(host.MemoryReservation > 0 && { memoryReservationBytes: host.MemoryReservation }),
    ...(host.MemorySwap !== 0 && { memorySwapBytes: host.MemorySwap }),
    ...(pids !== null && pids > 0 && { pidsLimit: pids }),
    ...(host.BlkioWeight > 0 && { blkioWeight: host.BlkioWeight }),
    ...(host.OomKillDisable === true && { oomKillDisable: true }),
  };
}

/** In microseconds. */
const cpuPeriod = 100_000;

/** Swap is as large as memory unless it is said: the sum of both is the limit. */
export const withDefaultSwap = (host: HostConfig): HostConfig =>
  host.Memory > 0 && host.MemorySwap === 0 ? { ...host, MemorySwap: 2 * host.Memory } : host;

function environment({ config }: DockerDetails, hostname: string): readonly string[] {
  const variables = new Map<string, string>([
    ["PATH", `PATH=${defaultPath}`],
    ["HOSTNAME", `HOSTNAME=${hostname}`],
    ...(config.Tty ? [["TERM", "TERM=xterm"] as const] : []),
  ]);
  for (const variable of config.Env ?? []) {
    const [name = ""] = variable.split("=", 1);
    if (variable.includes("=")) variables.set(name, variable);
    // A name without a value removes the variable.
    else variables.delete(name);
  }
  return [...variables.values()];
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A network of its own lets any user listen on low ports and send pings: nobody else is there. */
function sysctlsOf(
  { config, hostConfig }: DockerDetails,
  namespaces: NamespaceSettings,
): Readonly<Record<string, string>> {
  const isShared = namespaces.network === "host" || hostConfig.NetworkMode.startsWith("container:");
  return {
    ...(!isShared && {
      "net.ipv4.ip_unprivileged_port_start": "0",
      "net.ipv4.ping_group_range": "0 2147483647",
    }),
    ...(config.Domainname !== "" &&
      namespaces.uts === "new" && { "kernel.domainname": config.Domainname }),
    ...hostConfig.Sysctls,
  };
}
