import { millisOf, parseTime } from "../../../schema/values/time.ts";
import { tableText } from "../../store/terminal.ts";
import type { DescribedToken } from "./bootstrap-token.ts";

/** Formats tokens as a table with kubeadm's columns. */
export function tokenTable(tokens: readonly DescribedToken[], now: number): string {
  const rows = tokens.map(({ token, expires, usages, description, groups }) => [
    token,
    expires === undefined ? "<forever>" : remainder(millisOf(parseTime(expires)) - now),
    expires ?? "<never>",
    usages.join(",") || "<none>",
    description || "<none>",
    groups.join(",") || "<none>",
  ]);
  return tableText(["TOKEN", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "EXTRA GROUPS"], rows);
}

/** A length of time in its largest unit. */
function remainder(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  const units: readonly (readonly [size: number, unit: string])[] = [
    [365 * 86_400, "y"],
    [86_400, "d"],
    [3600, "h"],
    [60, "m"],
  ];
  const [size, unit] = units.find(([each]) => seconds >= each) ?? [1, "s"];
  return `${Math.max(0, Math.floor(seconds / size))}${unit}`;
}
