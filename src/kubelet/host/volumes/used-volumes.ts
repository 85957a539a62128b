import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { allContainers } from "../../../api/core/v1/pod/pod-containers.ts";
import type { Volume } from "../../../api/core/v1/volume/volume.ts";

/** A volume that containers of its pod use. */
export interface UsedVolume {
  readonly volume: Volume;
  readonly isMounted: boolean;
  readonly isDevice: boolean;
}

/** The volumes of a pod that containers use; others are never set up. */
export function usedVolumes({ spec }: Pod): readonly UsedVolume[] {
  const containers = allContainers(spec);
  const mounts = namesIn(containers.flatMap(({ volumeMounts = [] }) => volumeMounts));
  const devices = namesIn(containers.flatMap(({ volumeDevices = [] }) => volumeDevices));
  return (spec.volumes ?? [])
    .map((volume) => ({
      volume,
      isMounted: mounts.has(volume.name),
      isDevice: devices.has(volume.name),
    }))
    .filter(({ isMounted, isDevice }) => isMounted || isDevice);
}

const namesIn = (uses: readonly { readonly name: string }[]): ReadonlySet<string> =>
  new Set(uses.map(({ name }) => name));

/** The user of all containers of a pod; undefined if there are several, or the image decides. */
export function fsUserOf({ spec }: Pod): number | undefined {
  const users = allContainers(spec).map(
    ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
  );
  const [first] = users;
  return users.every((user) => user === first) ? first : undefined;
}
