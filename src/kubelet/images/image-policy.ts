/** When images are removed. */
export interface ImagePolicy {
  /** The usage of the disk in percent from which images are removed, and down to which. */
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  /** Younger images are not removed: they may have been pulled for a container that is about to start. */
  readonly minAgeMs: number;
  /** Images that were not used for so long are removed; 0 to keep them. */
  readonly maxAgeMs: number;
}

/** Why a policy is invalid; undefined if it is valid. */
export function imagePolicyProblem({
  highThresholdPercent: high,
  lowThresholdPercent: low,
}: ImagePolicy): string | undefined {
  if (high < 0 || high > 100)
    return `invalid HighThresholdPercent ${high}, must be in range [0-100]`;
  if (low < 0 || low > 100) return `invalid LowThresholdPercent ${low}, must be in range [0-100]`;
  if (low > high)
    return `LowThresholdPercent ${low} can not be higher than HighThresholdPercent ${high}`;
  return undefined;
}

/** The file system of images. */
export interface ImageDisk {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/** How many bytes to free, and how full the disk is; 0 bytes below the high threshold. */
export function bytesToFree(
  { capacityBytes, availableBytes }: ImageDisk,
  { highThresholdPercent, lowThresholdPercent }: ImagePolicy,
): { readonly bytes: number; readonly usagePercent: number } {
  const available = Math.min(availableBytes, capacityBytes);
  const usagePercent = 100 - Math.trunc((available * 100) / capacityBytes);
  if (usagePercent < highThresholdPercent) return { bytes: 0, usagePercent };
  const wanted = Math.trunc((capacityBytes * (100 - lowThresholdPercent)) / 100);
  return { bytes: wanted - available, usagePercent };
}

/** A size for people: `9.5 GiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${["", "KiB", "MiB", "GiB", "TiB"][power]}`;
}
