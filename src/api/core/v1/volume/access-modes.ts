import type { At } from "../../../../schema/language/report.ts";

const supported = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Each mode is known, and a volume for one pod alone is for nobody else. */
export function validateAccessModes(modes: readonly string[], at: At): void {
  const known = modes.filter((mode) => supported.includes(mode));
  for (const mode of modes)
    if (!supported.includes(mode)) at.notSupported("accessModes", mode, supported);
  if (known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod"))
    at.forbidden("accessModes", "may not use ReadWriteOncePod with other access modes");
}

const short = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** Access modes in the letters of a table: `RWO,ROX`. */
export const formatAccessModes = (modes: readonly string[] | undefined): string =>
  short.flatMap(([mode, letters]) => (modes?.includes(mode) ? letters : [])).join(",");
