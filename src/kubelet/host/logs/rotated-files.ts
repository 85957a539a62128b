/** What to do with the rotated files of a log before it is rotated once more. */
export interface RotationPlan {
  /** Files that are too many, or were left by a rotation that failed. */
  readonly remove: readonly string[];
  readonly compress: readonly string[];
}

/** Plans a rotation after which there are so many files, that of the running container included. */
export function planRotation(rotated: readonly string[], maxFiles: number): RotationPlan {
  const all = new Set(rotated);
  const isUsed = (name: string): boolean =>
    !name.endsWith(draftSuffix) &&
    (name.endsWith(compressedSuffix) || !all.has(`${name}${compressedSuffix}`));
  const used = rotated.filter(isUsed).sort();
  // The current file is about to be one of them, and a new one is begun.
  const kept = Math.max(0, maxFiles - 2);
  const excess = used.slice(0, Math.max(0, used.length - kept));
  return {
    remove: [...rotated.filter((name) => !isUsed(name)), ...excess],
    compress: used.slice(excess.length).filter((name) => !name.endsWith(compressedSuffix)),
  };
}

export const compressedSuffix = ".gz";
export const draftSuffix = ".tmp";

/** The name of a log that is rotated at a time: `0.log.20260131-175900`, in local time. */
export function rotatedName(path: string, now: number): string {
  const time = new Date(now);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}${two(time.getMonth() + 1)}${two(time.getDate())}`;
  const clock = `${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}`;
  return `${path}.${day}-${clock}`;
}
