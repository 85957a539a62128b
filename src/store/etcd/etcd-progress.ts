/**
 * Whether an etcd of this version tells the progress of a watch right when it is asked for it. Before
 * 3.4.31 and 3.5.13 it may say that it is at a revision of which events are still to come.
 */
export function tellsProgress(version: string): boolean {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)(-.+)?/.exec(version) ?? [];
  const [major = 0, minor = 0, patch = 0] = parts.slice(0, 3).map(Number);
  if (major !== 3) return major > 3;
  const first = firstRight.get(minor);
  if (first === undefined) return minor > 5;
  // What leads to a release does not have all that is in it.
  return parts[3] === undefined ? patch >= first : patch > first;
}

const firstRight: ReadonlyMap<number, number> = new Map([
  [4, 31],
  [5, 13],
]);
