import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { VolumeMount } from "../../../api/core/v1/volume/volume-mount.ts";

/** The status of a container's mounts; undefined if it has none. */
export function volumeMountStatuses({
  volumeMounts = [],
}: {
  readonly volumeMounts?: readonly VolumeMount[] | undefined;
}): Pick<ContainerStatus, "volumeMounts"> | undefined {
  if (volumeMounts.length === 0) return undefined;
  return {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly, recursiveReadOnly }) => ({
      mountPath,
      name,
      ...(readOnly && {
        readOnly,
        recursiveReadOnly: recursiveMode(recursiveReadOnly),
      }),
    })),
  } as Pick<ContainerStatus, "volumeMounts">;
}

/** Recursive read-only mounts, where requested. */
const recursiveMode = (asked: string | undefined): string =>
  asked === "Enabled" || asked === "IfPossible" ? "Enabled" : "Disabled";
