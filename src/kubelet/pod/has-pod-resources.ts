import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodLevelResource } from "../../api/core/v1/resource-name.ts";

/** Whether a pod requests or limits resources as a whole. */
export const hasPodResources = ({ spec }: Pick<Pod, "spec">): boolean =>
  [spec.resources?.requests, spec.resources?.limits].some((amounts) =>
    Object.keys(amounts ?? {}).some(isPodLevelResource),
  );
