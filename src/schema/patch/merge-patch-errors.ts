import { goString } from "../values/go-print.ts";
import { toYaml } from "../yaml/yaml.ts";

/** What is to be changed has been changed otherwise in the meantime. */
export class PatchConflictError extends Error {
  override readonly name = "PatchConflictError";

  constructor(patch: unknown, changes: unknown) {
    super(
      `patch:\n${toYaml(patch)}\nconflicts with changes made from original to current:\n${toYaml(changes)}\n`,
    );
  }
}

/** A patch that changes what must stay. */
export class PatchPreconditionError extends Error {
  override readonly name = "PatchPreconditionError";

  constructor(patch: unknown) {
    super(`precondition failed for: ${goString(patch)}`);
  }
}

/** Says whether a patch is acceptable. */
export type Precondition = (patch: Readonly<Record<string, unknown>>) => boolean;

/** The member may not be changed. */
export const keyUnchanged =
  (name: string): Precondition =>
  (patch) =>
    !Object.hasOwn(patch, name);

/** The member of the metadata may not be changed. */
export const metadataKeyUnchanged =
  (name: string): Precondition =>
  ({ metadata }) =>
    typeof metadata !== "object" || metadata === null || !Object.hasOwn(metadata, name);

/** Throws unless all preconditions hold. */
export function checkPreconditions(
  patch: Readonly<Record<string, unknown>>,
  preconditions: readonly Precondition[],
): void {
  if (!preconditions.every((holds) => holds(patch))) throw new PatchPreconditionError(patch);
}
