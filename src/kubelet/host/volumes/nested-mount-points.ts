import { posix } from "node:path";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { allContainers } from "../../../api/core/v1/pod/pod-containers.ts";

/**
 * The folders in a volume at which containers mount other volumes. The runtime could not create them: containers
 * mount the volume read-only.
 *
 *     mounted at /dir, others at /dir/nested and /dir/nested/deeper  →  nested
 */
export function nestedMountPoints(volume: string, { spec }: Pod): readonly string[] {
  const found = new Set<string>();
  for (const { volumeMounts = [] } of allContainers(spec)) {
    const paths = volumeMounts.map(({ mountPath }) => cleaned(mountPath)).sort();
    for (const { name, mountPath } of volumeMounts) {
      if (name !== volume) continue;
      const base = cleaned(mountPath);
      if (base.startsWith("../")) throw new Error(`invalid container mount point ${base}`);
      const nested = paths.filter((path) => path.startsWith(`${base}/`));
      for (const path of nested)
        if (!nested.some((other) => path.startsWith(`${other}/`)))
          found.add(path.slice(base.length + 1));
    }
  }
  return [...found];
}

const cleaned = (path: string): string => posix.normalize(path).replace(/(.)\/$/, "$1");
