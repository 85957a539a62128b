import type { Volume } from "../../../api/core/v1/volume/volume.ts";
import type { Description } from "../description.ts";
import { chosenSource } from "../storage/source-lines.ts";
import { volumeSources } from "../storage/volume-sources.ts";

/** The volumes of a pod, or of a pod template. */
export function volumeLines(
  d: Description,
  volumes: readonly Volume[] | undefined,
  indent = "",
): void {
  if (!volumes || volumes.length === 0) {
    d.field(`${indent}Volumes`, "<none>");
    return;
  }
  d.line(`${indent}Volumes:`);
  for (const { name, ...sources } of volumes) {
    d.line(`${indent === "" ? "" : " "}${name}:`, 1);
    chosenSource(d, sources, volumeSources);
  }
}
