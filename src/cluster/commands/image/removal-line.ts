import type { RemovalResult } from "../../../engine/images/plan-removal.ts";

/** A removal as docker prints it. */
export const removalLine = (result: RemovalResult): string =>
  "Untagged" in result ? `Untagged: ${result.Untagged}\n` : `Deleted: ${result.Deleted}\n`;
