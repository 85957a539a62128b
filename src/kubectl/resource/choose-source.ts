import { quote } from "../../schema/values/quote.ts";
import type { ResourceArguments, TypeAndName } from "./arguments.ts";
import type { ResourceQuery } from "./find-resources.ts";

/** Where the objects of a query come from. */
export type ResourceSource =
  | { readonly by: "files" }
  | { readonly by: "selector"; readonly types: readonly string[] }
  | { readonly by: "names"; readonly pairs: readonly TypeAndName[] }
  /** Types without anything that says which objects: an error, once the types are known to exist. */
  | { readonly by: "nothing"; readonly types: readonly string[] };

/** Chooses between files, selectors and names; throws where a query mixes them. */
export function chooseSource(query: ResourceQuery, given: ResourceArguments): ResourceSource {
  checkSelectors(query);
  const { types, names } = given;
  const pairs = [...given.pairs, ...(query.named ?? [])];
  if ((query.filenames?.length ?? 0) > 0 || query.kustomize || query.texts)
    return filesAlone(types, pairs);
  const isTypeAlone =
    query.allowsTypeAlone === true && types.length > 0 && names.length === 0 && pairs.length === 0;
  if (hasSelector(query) || isTypeAlone) return selectorAlone(given, pairs);
  if (pairs.length > 0 || names.length > 0) return { by: "names", pairs: allPairs(given, pairs) };
  if (types.length > 0) return { by: "nothing", types };
  throw new Error(missing);
}

const missing = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`;

function hasSelector({ labelSelector = "", fieldSelector = "", isAll }: ResourceQuery): boolean {
  return labelSelector.trim() !== "" || fieldSelector.trim() !== "" || isAll === true;
}

function filesAlone(types: readonly string[], pairs: readonly TypeAndName[]): ResourceSource {
  if (types.length > 0)
    throw new Error(
      "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
    );
  if (pairs.length > 0)
    throw new Error("resource/name arguments cannot be provided when a path is specified");
  return { by: "files" };
}

function selectorAlone(
  { types, names }: ResourceArguments,
  pairs: readonly TypeAndName[],
): ResourceSource {
  if (names.length > 0) throw new Error("name cannot be provided when a selector is specified");
  if (pairs.length > 0)
    throw new Error(
      "selectors and the all flag cannot be used when passing resource/name arguments",
    );
  if (types.length === 0)
    throw new Error("at least one resource must be specified to use a selector");
  return { by: "selector", types };
}

function allPairs(
  { types, names }: ResourceArguments,
  pairs: readonly TypeAndName[],
): readonly TypeAndName[] {
  if (pairs.length > 0) {
    if (types.length === 0) return pairs;
    throw new Error("you may not specify individual resources and bulk resources in the same call");
  }
  const [type, ...others] = types;
  if (type === undefined)
    throw new Error("you must provide a resource and a resource name together");
  if (others.length > 0) throw new Error("you must specify only one resource");
  return names.map((name) => ({ type, name }));
}

function checkSelectors({ labelSelector = "", fieldSelector = "", isAll }: ResourceQuery): void {
  if (!isAll) return;
  for (const [what, selector] of [
    ["label", labelSelector],
    ["field", fieldSelector],
  ] as const)
    if (selector.trim() !== "")
      throw new Error(
        `found non-empty ${what} selector ${quote(selector)} with previously set 'all' parameter. `,
      );
}
