import { int32, list, message, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import {
  ObjectFieldSelector,
  ResourceFieldSelector,
  validateObjectFieldSelector,
  validateResourceFieldSelector,
} from "../../field-selector.ts";
import { validateFileMode } from "../key-to-path.ts";
import { validateLocalNonReservedPath } from "../local-path.ts";

export const DownwardAPIVolumeFile = struct("io.k8s.api.core.v1.DownwardAPIVolumeFile", {
  path: string(1).always().expected().doc("The file, relative to the volume."),
  fieldRef: message(2, ObjectFieldSelector).doc("The field of the pod that it holds."),
  resourceFieldRef: message(3, ResourceFieldSelector).doc("The resource that it holds."),
  mode: int32(4).pointer().doc("Permissions of the file; without it, the volume's default."),
}).doc("A file that holds something the pod says of itself.");
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFile> {}

export const DownwardAPIVolumeSource = struct("io.k8s.api.core.v1.DownwardAPIVolumeSource", {
  items: list(1, DownwardAPIVolumeFile).atomic().doc("The files."),
  defaultMode: int32(2).pointer().default(0o644).doc("Permissions of files that name none."),
}).doc("What the pod says of itself, as files.");
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

export function validateDownwardApi(source: DownwardAPIVolumeSource, at: At): void {
  validateFileMode("defaultMode", source.defaultMode, at);
  // Upstream reports every file at the volume itself.
  for (const file of source.items ?? []) validateDownwardApiFile(file, at);
}

export function validateDownwardApiFile(file: DownwardAPIVolumeFile, at: At): void {
  const { path, fieldRef, resourceFieldRef, mode } = file;
  if (!path) at.required("path");
  validateLocalNonReservedPath(path, at.child("path"));
  if (fieldRef) {
    validateObjectFieldSelector(fieldRef, fields, at.child("fieldRef"));
    if (resourceFieldRef)
      at.invalid(
        "",
        "resource",
        "fieldRef and resourceFieldRef can not be specified simultaneously",
      );
  } else if (resourceFieldRef)
    validateResourceFieldSelector(resourceFieldRef, at.child("resourceFieldRef"), {
      inVolume: true,
    });
  else at.required("", "one of fieldRef and resourceFieldRef is required");
  validateFileMode("mode", mode, at);
}

const fields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
