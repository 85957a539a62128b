import type { HostConfig } from "./host-config.ts";

const leastMemory = 6 * 1024 * 1024;

/** Why limits of a container are not possible on a host with so many processors. */
export function resourcesProblem(
  host: HostConfig,
  processors: number,
  isUpdate = false,
): string | undefined {
  return memoryProblem(host, isUpdate) ?? cpuProblem(host, processors) ?? otherProblem(host);
}

function memoryProblem(host: HostConfig, isUpdate: boolean): string | undefined {
  const { Memory: memory, MemorySwap: swap, MemoryReservation: reservation } = host;
  if (memory !== 0 && memory < leastMemory) return "Minimum memory limit allowed is 6MB";
  if (memory > 0 && swap > 0 && swap < memory)
    return "Minimum memoryswap limit should be larger than memory limit, see usage";
  if (memory === 0 && swap > 0 && !isUpdate)
    return "You should always set the Memory limit when using Memoryswap limit, see usage";
  const { MemorySwappiness: swappiness } = host;
  if (swappiness !== null && swappiness !== -1 && (swappiness < 0 || swappiness > 100))
    return `Invalid value: ${swappiness}, valid memory swappiness range is 0-100`;
  if (reservation > 0 && reservation < leastMemory)
    return "Minimum memory reservation allowed is 6MB";
  if (memory > 0 && reservation > 0 && memory < reservation)
    return "Minimum memory limit can not be less than memory reservation limit, see usage";
  return undefined;
}

function cpuProblem(host: HostConfig, processors: number): string | undefined {
  const { NanoCpus: nano, CpuPeriod: period, CpuQuota: quota, CpuShares: shares } = host;
  if (nano > 0 && period > 0)
    return "Conflicting options: Nano CPUs and CPU Period cannot both be set";
  if (nano > 0 && quota > 0)
    return "Conflicting options: Nano CPUs and CPU Quota cannot both be set";
  if (nano < 0 || nano > processors * 1e9)
    return `range of CPUs is from 0.01 to ${processors}.00, as there are only ${processors} CPUs available`;
  if (shares < 0) return `invalid CPU shares (${shares}): value must be a positive integer`;
  if (period !== 0 && (period < 1000 || period > 1_000_000))
    return "CPU cfs period can not be less than 1ms (i.e. 1000) or larger than 1s (i.e. 1000000)";
  if (quota > 0 && quota < 1000) return "CPU cfs quota can not be less than 1ms (i.e. 1000)";
  if (host.CpuRealtimePeriod !== 0 || host.CpuRealtimeRuntime !== 0)
    return "kernel does not support CPU real-time scheduler";
  return cpusetProblem(host.CpusetCpus, processors);
}

function cpusetProblem(cpuset: string, processors: number): string | undefined {
  if (cpuset === "") return undefined;
  const numbers = cpuset.split(",").flatMap((range) => range.split("-"));
  if (!numbers.every((number) => /^[0-9]+$/.test(number)))
    return `Invalid value ${cpuset} for cpuset cpus: failed to parse cpuset`;
  if (numbers.some((number) => Number(number) >= processors)) {
    const available = processors === 1 ? "0" : `0-${processors - 1}`;
    return `Requested CPUs are not available - requested ${cpuset}, available: ${available}`;
  }
  return undefined;
}

function otherProblem(host: HostConfig): string | undefined {
  const { BlkioWeight: weight } = host;
  if (weight > 0 && (weight < 10 || weight > 1000))
    return "Range of blkio weight is from 10 to 1000";
  if (host.IOMaximumBandwidth !== 0)
    return "invalid option: QoS maximum bandwidth configuration is not supported on linux";
  if (host.IOMaximumIOps !== 0)
    return "invalid option: QoS maximum IOPs configuration is not supported on linux";
  if (!["", "default"].includes(host.Isolation))
    return `invalid isolation (${host.Isolation}): linux only supports 'default'`;
  return undefined;
}
