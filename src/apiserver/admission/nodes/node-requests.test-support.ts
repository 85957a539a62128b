import { openParts, type TestParts } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes, type TestAttributes } from "../attributes.test-support.ts";
import { nodeRestriction } from "./node-restriction.ts";

/** The user of a node in these tests. */
export const nodeUser = (node: string) => ({
  name: `system:node:${node}`,
  groups: ["system:nodes"],
});

/** Why a write of node `a` is rejected; undefined if it is admitted. */
export async function rejectionOfNode(
  given: TestAttributes,
  { parts, user = nodeUser("a") }: { readonly parts?: TestParts; readonly user?: object } = {},
): Promise<string | undefined> {
  const plugin = nodeRestriction(parts ?? (await openParts()));
  const request = attributes(given);
  const asNode = { ...request, context: { ...request.context, user: user as never } };
  try {
    await admissionChain([plugin]).admit(asNode);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
