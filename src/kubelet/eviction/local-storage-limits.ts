import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podLimits } from "../../api/core/v1/pod/pod-requests.ts";
import {
  compareQuantities,
  formatQuantity,
  isZeroQuantity,
  parseQuantity,
  quantityOf,
  quantitySign,
} from "../../schema/values/quantity.ts";
import type { FilesystemLayout } from "./filesystem-layout.ts";
import { ephemeralBytes, type PodUsage } from "./pod-usage.ts";

/** A limit of local storage that a pod exceeds. */
export interface ExceededLimit {
  /** The name of the limit in metrics. */
  readonly signal: "emptydirfs.limit" | "ephemeralpodfs.limit" | "ephemeralcontainerfs.limit";
  readonly message: string;
}

/** Whether a pod has a limit of local storage, so that its usage must be measured. */
export const hasStorageLimit = ({ spec }: Pod): boolean =>
  podLimits(spec)[storage] !== undefined ||
  (spec.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined);

/** The limit of local storage that a pod exceeds; undefined if it exceeds none. */
export const exceededStorageLimit = (
  pod: Pod,
  usage: PodUsage,
  layout: FilesystemLayout,
): ExceededLimit | undefined =>
  exceededByVolume(pod, usage) ??
  exceededByPod(pod, usage) ??
  exceededByContainer(pod, usage, layout);

function exceededByVolume({ spec }: Pod, { volumes }: PodUsage): ExceededLimit | undefined {
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const used = volumes.find((volume) => volume.name === name);
    if (!used || emptyDir?.sizeLimit === undefined) continue;
    const limit = parseQuantity(`${emptyDir.sizeLimit}`);
    if (quantitySign(limit) <= 0 || compareQuantities(quantityOf(used.bytes), limit) <= 0) continue;
    const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${formatQuantity(limit)}". `;
    return { signal: "emptydirfs.limit", message };
  }
  return undefined;
}

function exceededByPod(pod: Pod, usage: PodUsage): ExceededLimit | undefined {
  const text = podLimits(pod.spec)[storage];
  if (text === undefined) return undefined;
  const limit = parseQuantity(text);
  if (compareQuantities(quantityOf(ephemeralBytes(pod, usage)), limit) <= 0) return undefined;
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(limit)}. `;
  return { signal: "ephemeralpodfs.limit", message };
}

/** What containers write elsewhere does not fill the node's disk. */
function exceededByContainer(
  { spec }: Pod,
  { containers }: PodUsage,
  layout: FilesystemLayout,
): ExceededLimit | undefined {
  for (const { name, root, logs } of containers) {
    const found = spec.containers?.find((container) => container.name === name);
    const limit = parseQuantity(`${found?.resources?.limits?.[storage] ?? "0"}`);
    if (isZeroQuantity(limit)) continue;
    const used = (logs?.bytes ?? 0) + (layout === "single" ? (root?.bytes ?? 0) : 0);
    if (compareQuantities(limit, quantityOf(used)) >= 0) continue;
    const message = `Container ${name} exceeded its local ephemeral storage limit "${formatQuantity(limit)}". `;
    return { signal: "ephemeralcontainerfs.limit", message };
  }
  return undefined;
}

const storage = "ephemeral-storage";
