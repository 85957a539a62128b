import type { EtcdCluster } from "./etcd-cluster.ts";
import { etcdMethods } from "./etcd-methods.ts";

/**
 * Whether this version of etcd reports watch progress correctly on request. Before 3.4.31 and 3.5.13 it
 * may report a revision whose events are still to come.
 */
export function tellsProgress(version: string): boolean {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)(-.+)?/.exec(version) ?? [];
  const [major = 0, minor = 0, patch = 0] = parts.slice(0, 3).map(Number);
  if (major !== 3) return major > 3;
  const first = firstRight.get(minor);
  if (first === undefined) return minor > 5;
  // A pre-release lacks some changes of the release.
  return parts[3] === undefined ? patch >= first : patch > first;
}

/** Whether all members do; a member without a version counts as old. */
export async function allTellProgress(cluster: Pick<EtcdCluster, "askAll">): Promise<boolean> {
  const asked = await cluster.askAll(etcdMethods.status, {}, { timeoutMs: 1000 });
  return asked.every(
    (answer) => answer.status === "fulfilled" && tellsProgress(answer.value.version),
  );
}

const firstRight: ReadonlyMap<number, number> = new Map([
  [4, 31],
  [5, 13],
]);
