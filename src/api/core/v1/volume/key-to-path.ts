import { int32, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { validateLocalNonReservedPath } from "./local-path.ts";

export const KeyToPath = struct("io.k8s.api.core.v1.KeyToPath", {
  key: string(1).always().expected().doc("The key whose value is written."),
  path: string(2).always().expected().doc("The file it is written to, relative to the volume."),
  mode: int32(3).pointer().doc("Permissions of the file; without it, the volume's default."),
}).doc("Puts the value of a key into a file of the volume.");
export interface KeyToPath extends Infer<typeof KeyToPath> {}

/** The rules of one mapping of a key to a file. */
export function validateKeyToPath({ key, path, mode }: KeyToPath, at: At): void {
  if (!key) at.required("key");
  if (!path) at.required("path");
  validateLocalNonReservedPath(path, at.child("path"));
  validateFileMode("mode", mode, at);
}

/** The rules of each mapping in a volume's `items`. */
export function validateItems(items: readonly KeyToPath[] | undefined, at: At): void {
  const here = at.child("items");
  for (const [i, item] of (items ?? []).entries()) validateKeyToPath(item, here.index(i));
}

/** Permissions are the nine lowest bits, if they are given. */
export function validateFileMode(field: string, mode: number | undefined, at: At): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777))
    at.invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive");
}
