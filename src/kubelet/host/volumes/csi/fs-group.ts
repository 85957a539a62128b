import type { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import { csiError } from "./csi-text.ts";
import type { CsiVolume } from "./csi-volume.ts";

/** Which volumes of a driver get the group of the pod that mounts them. */
export function fsGroupPolicyOf(driver: CSIDriver | undefined): string {
  if (!driver) return "ReadWriteOnceWithFSType";
  const { fsGroupPolicy } = driver.spec;
  if (!fsGroupPolicy)
    throw csiError("expected valid fsGroupPolicy, received nil value or empty string");
  return fsGroupPolicy;
}

/** Whether the kubelet gives the files of a volume to the pod's group. */
export function getsFsGroup(
  { readOnly, fsType, lifecycle, accessModes = [] }: CsiVolume,
  policy: string,
): boolean {
  if (readOnly || policy === "None") return false;
  if (policy === "File") return true;
  if (fsType === "") return false;
  return (
    lifecycle === "Ephemeral" ||
    accessModes.some((mode) => mode === "ReadWriteOnce" || mode === "ReadWriteOncePod")
  );
}
