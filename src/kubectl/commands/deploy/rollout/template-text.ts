import type { Revision } from "./revisions.ts";

/** The pod template of a revision in words. */
export async function templateText({ number }: Revision): Promise<string> {
  throw new Error(`the pod template of revision ${number} cannot be described yet`);
}
