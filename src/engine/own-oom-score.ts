import { readFileSync } from "node:fs";

/** The lowest oom_score_adj that this process can give to a container; undefined if it can give all. */
export function lowestOomScoreAdj(): number | undefined {
  const status = readFileSync("/proc/self/status", "utf8");
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  const mayLower = ((effective >> capSysResource) & 1n) === 1n;
  return mayLower ? undefined : Number(readFileSync("/proc/self/oom_score_adj", "utf8"));
}

const capSysResource = 24n;
