import { NoMatchError } from "../../../../client/discovery/mapping-errors.ts";
import type { ApiResource } from "../../../../client/discovery/server-apis.ts";
import type { PathNode } from "../../../print/jsonpath/json-path-node.ts";
import { parsePathTemplate } from "../../../print/jsonpath/json-path-parser.ts";
import { ExitError } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";

/** A resource in one version. */
export type VersionedResource = Pick<ApiResource, "group" | "version" | "plural" | "kind">;

/** What is to be explained: a resource, or one of its fields. */
export interface RequestedFields {
  readonly resource: VersionedResource;
  readonly fields: readonly string[];
}

/** Reads `TYPE.FIELD.FIELD`. Where `mayHaveGroup`, the group may follow the type: `deployments.apps.spec`. */
export async function requestedFields(
  { factory }: Pick<CommandContext, "factory">,
  path: string,
  mayHaveGroup: boolean,
): Promise<RequestedFields> {
  const [first, ...steps] = stepsOf(path);
  const [type = ""] = namesOf(first ? [first] : []);
  if (type === "") throw new Error("a resource must be present, got: /, Resource=");
  const mapper = await factory.mapper();
  const preferred = await mapper.named(type.toLowerCase()).catch((error: unknown) => {
    factory.logUnreachable(error, 2);
    if (!(error instanceof NoMatchError)) throw error;
    throw new ExitError(1, `the server doesn't have a resource type "${type}"`);
  });
  if (!mayHaveGroup)
    return { resource: preferred, fields: namesOf(steps, "all nodes must be field nodes") };
  const { resources } = await (await factory.discovery()).apis();
  const meant = resources.filter(
    ({ plural, group }) => plural === preferred.plural && isNamed(group, type, preferred),
  );
  for (const resource of meant) {
    const name = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
    if (path.startsWith(name))
      return { resource, fields: namesOf(stepsOf(`x${path.slice(name.length)}`).slice(1)) };
  }
  return { resource: meant[0] ?? preferred, fields: namesOf(steps) };
}

/** A short name means the resource of one group, a whole name those of all groups. */
function isNamed(group: string, type: string, preferred: VersionedResource): boolean {
  return type.toLowerCase() === preferred.plural || group === preferred.group;
}

function stepsOf(path: string): readonly PathNode[] {
  const { nodes } = parsePathTemplate(`{.${path.replace(/\.$/, "")}}`);
  const [list] = nodes;
  if (nodes.length !== 1 || list?.type !== "list")
    throw new Error("must pass in 1 jsonpath string");
  return list.nodes;
}

function namesOf(
  steps: readonly PathNode[],
  problem = "first node must be field node",
): readonly string[] {
  return steps.map((step) => {
    if (step.type !== "field") throw new Error(`invalid jsonpath syntax, ${problem}`);
    return step.name;
  });
}

/** The group and the version of an `apiVersion`. */
export function groupVersionOf(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split("/");
  if (parts.length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const [first = "", second] = parts;
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}
