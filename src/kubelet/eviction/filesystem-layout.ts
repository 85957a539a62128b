import type { Signal } from "./signal.ts";
import type { Threshold } from "./threshold.ts";

/**
 * Where a node keeps images and what containers write: beside its volumes and logs (`single`), both on another
 * disk (`images`), or only the images on another disk (`split`).
 */
export type FilesystemLayout = "single" | "images" | "split";

/** A kind of data that pods keep on disk. */
export type DiskPart = "root" | "logs" | "volumes";

/** The parts of pods' data that are on the file system of a signal. */
export function diskPartsOf(signal: Signal, layout: FilesystemLayout): readonly DiskPart[] {
  if (layout === "single") return ["root", "logs", "volumes"];
  const isNodeFs = signal.startsWith("nodefs.");
  if (layout === "images") return isNodeFs ? ["logs", "volumes"] : ["root"];
  return signal.startsWith("imagefs.") ? [] : ["root", "logs", "volumes"];
}

/** What can be removed before pods are evicted. */
export type Reclaim = "containers" | "images";

/** What frees the file system of a signal, in order. */
export function reclaimsOf(signal: Signal, layout: FilesystemLayout): readonly Reclaim[] {
  if (!/^(nodefs|imagefs|containerfs)\./.test(signal)) return [];
  if (layout === "single") return ["containers", "images"];
  if (layout === "images") return signal.startsWith("nodefs.") ? [] : ["containers", "images"];
  return signal.startsWith("imagefs.") ? ["images"] : ["containers"];
}

/** Replaces the thresholds of what containers write by those of the file system that it is on. */
export function withContainerFs(
  thresholds: readonly Threshold[],
  layout: FilesystemLayout,
): readonly Threshold[] {
  const prefix = layout === "images" ? "imagefs." : "nodefs.";
  const copies = thresholds
    .filter(({ signal }) => signal.startsWith(prefix))
    .map((one): Threshold => {
      const signal = `containerfs.${one.signal.slice(prefix.length)}` as Signal;
      return { ...one, signal };
    });
  return [...thresholds.filter(({ signal }) => !signal.startsWith("containerfs.")), ...copies];
}
