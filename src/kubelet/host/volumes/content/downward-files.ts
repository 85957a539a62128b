import { normalize } from "node:path";
import type { Node } from "../../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { DownwardAPIVolumeFile } from "../../../../api/core/v1/volume/sources/downward-api.ts";
import { podField } from "../../../pod/pod-field.ts";
import { resourceField } from "../../../pod/resource-field.ts";
import type { FileContent, VolumeFiles } from "./file-content.ts";

export interface DownwardSource {
  readonly pod: Pod;
  readonly items: readonly DownwardAPIVolumeFile[];
  readonly defaultMode: number;
  readonly node: Node | undefined;
}

/** The files that show fields of a pod and resources of its containers; throws if there is no such field. */
export function downwardFiles({ pod, items, defaultMode, node }: DownwardSource): VolumeFiles {
  const files = new Map<string, FileContent>();
  for (const { path, mode = defaultMode, fieldRef, resourceFieldRef } of items) {
    let text = "";
    if (fieldRef) text = podField(pod, fieldRef.fieldPath);
    else if (resourceFieldRef)
      text = resourceField(resourceFieldRef, {
        pod,
        containerName: resourceFieldRef.containerName ?? "",
        allocatable: node?.status?.allocatable ?? {},
      });
    files.set(normalize(path), { bytes: new TextEncoder().encode(text), mode });
  }
  return files;
}
