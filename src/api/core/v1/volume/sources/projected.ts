import { int32, list } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { type KeyToPath, validateFileMode, validateKeyToPath } from "../key-to-path.ts";
import { validateLocalNonReservedPath } from "../local-path.ts";
import {
  type ConfigMapProjection,
  type DownwardAPIProjection,
  type SecretProjection,
  type ServiceAccountTokenProjection,
  VolumeProjection,
} from "../volume-projection.ts";
import { validateDownwardApiFile } from "./downward-api.ts";

export const ProjectedVolumeSource = struct("io.k8s.api.core.v1.ProjectedVolumeSource", {
  sources: list(1, VolumeProjection).always().atomic().doc("What is projected."),
  defaultMode: int32(2).pointer().default(0o644).doc("Permissions of files that name none."),
}).doc("Several sources as files of one volume.");
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSource> {}

export interface ProjectedOptions {
  /** The stored object has a token whose path leads out of the volume. */
  readonly allowNonLocalProjectedTokenPath?: boolean | undefined;
}

/**
 * The rules of a projected volume. Trust bundles and pod certificates are not looked at: they are
 * dropped from what clients write.
 */
export function validateProjected(
  { sources, defaultMode }: ProjectedVolumeSource,
  at: At,
  options: ProjectedOptions,
): void {
  validateFileMode("defaultMode", defaultMode, at);
  const paths = new Set<string>();
  const projected: Projected = {
    at,
    options,
    claim(path, shown) {
      if (!path) return;
      if (paths.has(path)) at.invalid("", shown, "conflicting duplicate paths");
      paths.add(path);
    },
  };
  for (const [i, source] of (sources ?? []).entries()) {
    const here = at.child("sources").index(i);
    const { secret, configMap, downwardAPI, serviceAccountToken } = source;
    if (secret) validateKeyed(secret, here.child("secret"), projected);
    if (configMap) validateKeyed(configMap, here.child("configMap"), projected);
    if (downwardAPI) validateDownward(downwardAPI, here.child("downwardAPI"), projected);
    if (serviceAccountToken)
      validateToken(serviceAccountToken, here.child("serviceAccountToken"), projected);
    if (Object.values(source).filter((value) => value !== undefined).length > 1)
      here.forbidden("", "may not specify more than 1 volume type per source");
  }
}

interface Projected {
  /** The volume source: where upstream reports what concerns several projections. */
  readonly at: At;
  readonly options: ProjectedOptions;
  /** Takes a path for a file, which no other may have. */
  claim(path: string, shown: string): void;
}

function validateKeyed(
  { name = "", items = [] }: SecretProjection | ConfigMapProjection,
  at: At,
  projected: Projected,
): void {
  if (!name) at.required("name");
  const each = (item: KeyToPath, i: number) => {
    validateKeyToPath(item, at.child("items").index(i));
    projected.claim(item.path, name);
  };
  items.forEach(each);
}

function validateDownward(
  { items = [] }: DownwardAPIProjection,
  at: At,
  projected: Projected,
): void {
  for (const file of items) {
    validateDownwardApiFile(file, at);
    projected.claim(file.path, file.path);
  }
}

function validateToken(
  { expirationSeconds, path }: ServiceAccountTokenProjection,
  at: At,
  { at: volume, options }: Projected,
): void {
  if (expirationSeconds < 600)
    at.invalid(
      "expirationSeconds",
      expirationSeconds,
      "may not specify a duration less than 10 minutes",
    );
  if (expirationSeconds > 2 ** 32)
    at.invalid(
      "expirationSeconds",
      expirationSeconds,
      "may not specify a duration larger than 2^32 seconds",
    );
  if (!path) volume.required("path");
  else if (!options.allowNonLocalProjectedTokenPath)
    validateLocalNonReservedPath(path, volume.child("path"));
}
