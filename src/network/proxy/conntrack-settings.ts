import { access, constants } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { changeSettings, type KernelSettings, kernelSetting } from "../kernel-settings.ts";

/** What a service proxy wants of the kernel's table of connections; zero leaves a value as it is. */
export interface ConntrackSettings {
  /** The most connections for each CPU, and the least limit. */
  readonly maxPerCore: number;
  readonly min: number;
  readonly tcpEstablishedMs: number;
  readonly tcpCloseWaitMs: number;
  readonly tcpBeLiberal: boolean;
  readonly udpMs: number;
  readonly udpStreamMs: number;
}

/** kube-proxy's defaults. */
export const defaultConntrackSettings: ConntrackSettings = {
  ...{ maxPerCore: 32 * 1024, min: 128 * 1024 },
  ...{ tcpEstablishedMs: 24 * 3_600_000, tcpCloseWaitMs: 3_600_000, tcpBeLiberal: false },
  ...{ udpMs: 0, udpStreamMs: 0 },
};

/**
 * Those of a node's agent. A packet out of window counts as part of its connection: otherwise it would not be
 * translated back, and the client of a service would reset the connection to a sender that it does not know.
 */
export const nodeConntrackSettings: ConntrackSettings = {
  ...defaultConntrackSettings,
  tcpBeLiberal: true,
};

/** The files of the kernel that follow from the settings, on a machine with so many CPUs and hash buckets. */
export function conntrackFiles(
  settings: ConntrackSettings,
  { processors, buckets }: { readonly processors: number; readonly buckets: number },
): KernelSettings {
  const { maxPerCore, min } = settings;
  const scaled = maxPerCore * processors;
  const max = maxPerCore === 0 ? 0 : scaled > mostTracked ? mostTracked : Math.max(scaled, min);
  const least = Math.floor(max / 4);
  const values: readonly (readonly [path: string, value: number])[] = [
    [maxFile, max],
    [bucketsFile, buckets < least ? least : 0],
    [`${folder}/nf_conntrack_tcp_timeout_established`, seconds(settings.tcpEstablishedMs)],
    [`${folder}/nf_conntrack_tcp_timeout_close_wait`, seconds(settings.tcpCloseWaitMs)],
    [`${folder}/nf_conntrack_tcp_be_liberal`, settings.tcpBeLiberal ? 1 : 0],
    [`${folder}/nf_conntrack_udp_timeout`, seconds(settings.udpMs)],
    [`${folder}/nf_conntrack_udp_timeout_stream`, seconds(settings.udpStreamMs)],
  ];
  return new Map(values.flatMap(([path, value]) => (value > 0 ? [[path, `${value}`]] : [])));
}

/** The file in the data folder of a node in which former values are recorded. */
export const conntrackRecord = (dataDir: string): string =>
  join(dataDir, "conntrack-settings.json");

export interface AdjustConntrackOptions {
  /** The file in which former values are recorded, so that they can be restored. */
  readonly record?: string | undefined;
  readonly log: Log;
}

/** Applies the settings to this network namespace. Those of the whole machine only change in its own namespace. */
export async function adjustConntrack(
  settings: ConntrackSettings,
  { record, log }: AdjustConntrackOptions,
): Promise<void> {
  const wanted = new Map(
    conntrackFiles(settings, {
      processors: availableParallelism(),
      buckets: Number(kernelSetting(bucketsFile) ?? Number.POSITIVE_INFINITY),
    }),
  );
  // The kernel has the limit read-only in other namespaces.
  if (!(await isWritable(maxFile))) for (const path of [maxFile, bucketsFile]) wanted.delete(path);
  await changeSettings(wanted, record).catch((error: unknown) =>
    log.warn("the settings of connection tracking cannot be changed", {
      reason: errorMessage(error),
    }),
  );
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );

const folder = "/proc/sys/net/netfilter";
const maxFile = `${folder}/nf_conntrack_max`;
const bucketsFile = "/sys/module/nf_conntrack/parameters/hashsize";

/** More would take too much memory on machines with many CPUs. */
const mostTracked = 1 << 20;

const seconds = (ms: number): number => Math.floor(ms / 1000);
