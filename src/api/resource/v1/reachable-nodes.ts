import type { At } from "../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import type { NodeSelector } from "../../core/v1/scheduling/node-selector.ts";

interface Reach {
  readonly nodeName?: string | undefined;
  readonly nodeSelector?: NodeSelector | undefined;
  readonly allNodes?: boolean | undefined;
}

/** In which ways it is said which nodes can reach a device, as errors name them; each is validated. */
export function waysToNodes(
  { nodeName, nodeSelector, allNodes }: Reach,
  at: At,
  {
    emptyName,
    validateSelector,
  }: {
    /** What is wrong with a name that is empty. */
    readonly emptyName: string;
    readonly validateSelector: (selector: NodeSelector, at: At) => void;
  },
): string[] {
  const ways: string[] = [];
  if (nodeName === "") at.invalid("nodeName", nodeName, emptyName);
  else if (nodeName !== undefined) {
    ways.push("`nodeName`");
    at.invalidEach("nodeName", nodeName, nameIsDnsSubdomain(nodeName));
  }
  if (nodeSelector) {
    ways.push("`nodeSelector`");
    validateSelector(nodeSelector, at.child("nodeSelector"));
  }
  if (saysTrue("allNodes", allNodes, at)) ways.push("`allNodes`");
  return ways;
}

/** Whether a flag is set, which may be true or absent. */
export function saysTrue(field: string, flag: boolean | undefined, at: At): boolean {
  if (flag === false) at.invalid(field, false, "must be either unset or set to true");
  return flag === true;
}
