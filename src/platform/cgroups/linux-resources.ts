/** Limits of a cgroup; what is absent is unlimited or left as it is. */
export interface LinuxResources {
  readonly cpuShares?: number | undefined;
  /** In microseconds of each period; -1 for no limit. */
  readonly cpuQuota?: number | undefined;
  readonly cpuPeriod?: number | undefined;
  readonly cpusetCpus?: string | undefined;
  readonly cpusetMems?: string | undefined;
  readonly memoryLimitBytes?: number | undefined;
  readonly memoryReservationBytes?: number | undefined;
  /** Memory and swap together; -1 for no limit. */
  readonly memorySwapBytes?: number | undefined;
  readonly pidsLimit?: number | undefined;
  readonly blkioWeight?: number | undefined;
  readonly hugepageLimits?:
    | readonly { readonly pageSize: string; readonly limitBytes: number }[]
    | undefined;
  /** Files of a cgroup v2 and their values. */
  readonly unified?: Readonly<Record<string, string>> | undefined;
  readonly oomKillDisable?: boolean | undefined;
}
