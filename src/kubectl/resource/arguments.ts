import { quote } from "../../schema/values/quote.ts";

/** What the arguments of a command name. */
export interface ResourceArguments {
  /** Types without names, as they were typed: `pods`, `deployments.apps`. */
  readonly types: readonly string[];
  /** Names for the one type. */
  readonly names: readonly string[];
  /** `TYPE/NAME` arguments. */
  readonly pairs: readonly TypeAndName[];
}

export interface TypeAndName {
  readonly type: string;
  readonly name: string;
}

/**
 * Reads `TYPE[,TYPE] [NAME…]` or `TYPE/NAME…`; several types with names mean all combinations. `categories`
 * expands names of several types, such as `all`.
 */
export async function readArguments(
  args: readonly string[],
  {
    program,
    categories,
  }: {
    readonly program: string;
    readonly categories: (name: string) => Promise<string | undefined>;
  },
): Promise<ResourceArguments> {
  const normal = combinations(args);
  const slashes = normal.filter((arg) => arg.includes("/")).length;
  if (slashes > 0 && slashes !== normal.length)
    throw new Error(
      `there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. '${program} get resource/<resource_name>' instead of '${program} get resource resource/<resource_name>'`,
    );
  if (slashes > 0) return { types: [], names: [], pairs: normal.map(typeAndName) };
  const [first, ...names] = normal;
  if (first === undefined) return { types: [], names: [], pairs: [] };
  const parts = await Promise.all(
    first.split(",").map(async (part) => (await categories(part)) ?? part),
  );
  return { types: splitTypes(parts.join(",")), names, pairs: [] };
}

/** Splits the types at commas, each once; empty ones are types that no server has. */
function splitTypes(text: string): string[] {
  return [...new Set(text.split(","))];
}

function combinations(args: readonly string[]): readonly string[] {
  const [first = "", ...names] = args;
  const types = splitTypes(first);
  if (names.length === 0 || types.length < 2) return args;
  return types.flatMap((type) => names.map((name) => `${type}/${name}`));
}

/** Splits `TYPE/NAME`. */
function typeAndName(text: string): TypeAndName {
  const parts = text.split("/");
  const [type = "", name = ""] = parts;
  if (parts.length > 2)
    throw new Error("arguments in resource/name form may not have more than one slash");
  if (type === "" || name === "" || splitTypes(type).length !== 1)
    throw new Error("arguments in resource/name form must have a single resource and name");
  return { type, name };
}

/** Names of one type, each of which may also be a `TYPE/NAME`. */
export function namesOfType(type: string, names: readonly string[]): TypeAndName[] {
  return names.map((name) => {
    if (name.includes("/")) return typeAndName(name);
    if (type === "") throw new Error(`the argument ${quote(name)} must be RESOURCE/NAME`);
    return { type, name };
  });
}
