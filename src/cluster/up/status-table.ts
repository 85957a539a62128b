import type { ClusterStatus } from "./cluster-status.ts";

/** Formats clusters as a table with kubectl's layout. */
export function statusTable(clusters: readonly ClusterStatus[], now: number): string {
  const rows = [
    ["NAME", "STATE", "NODES", "SERVER", "UP", "DATA"],
    ...clusters.map((one) => [
      one.name,
      one.state,
      one.nodesReady === undefined ? String(one.nodes) : `${one.nodesReady}/${one.nodes}`,
      one.server ?? "-",
      one.startedAt === undefined ? "-" : since(now - Date.parse(one.startedAt)),
      one.isEphemeral ? `${one.dataDir} (ephemeral)` : one.dataDir,
    ]),
  ];
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join("   "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/** Formats a duration in its two largest units. */
function since(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts: [value: number, unit: string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return first < 0
    ? "0s"
    : parts
        .slice(first, first + 2)
        .map(([value, unit]) => `${value}${unit}`)
        .join("");
}
