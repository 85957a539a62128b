import type { Field } from "../../src/schema/language/field.ts";
import type { Kind } from "../../src/schema/language/kind.ts";
import type { Struct } from "../../src/schema/language/struct.ts";
import { structOf, type Type, type TypeCode } from "../../src/schema/language/type.ts";
import { reachableStructs } from "../../src/schema/openapi/openapi.ts";

/** What a package's users see of the kinds: plain interfaces with their documentation. */
export function renderApiTypes(kinds: readonly Kind[]): string {
  const structs = structsOf(kinds);
  const objects = new Set<Struct>(kinds.map(({ struct }) => struct));
  const context: Context = {
    names: apiNames(kinds),
    objects,
    differing: differing(structs, objects),
  };
  const declarations = structs.flatMap((struct) => {
    const value = renderInterface(struct, "value", context);
    return context.differing.has(struct)
      ? [value, renderInterface(struct, "input", context)]
      : [value];
  });
  const constants = kinds.map(({ struct }) => {
    const [value, input] = [nameOf(struct, "value", context), nameOf(struct, "input", context)];
    return `/** ${comment(struct.description)} */\nexport declare const ${value}: Kind<${value}, ${input}>;\n`;
  });
  return [kindInterface, ...declarations, ...constants].join("\n");
}

/** The names under which the kinds, and all that they hold, are published; by name in OpenAPI. */
export const apiNames = (kinds: readonly Kind[]): ReadonlyMap<string, string> =>
  publicNames(structsOf(kinds).map(({ name }) => name));

/**
 * Short names for names in OpenAPI. Where several have the same, that of the core group keeps it, or
 * else that of the newest version; the others are told apart by group and version.
 */
export function publicNames(names: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of [...names].sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1))) {
    const [group = "", version = "", short = ""] = name.split(".").slice(-3);
    given.set(name, taken.has(short) ? `${title(group)}${title(version)}${short}` : short);
    taken.add(short);
  }
  return given;
}

const structsOf = (kinds: readonly Kind[]): readonly Struct[] => [
  ...reachableStructs(kinds.flatMap(({ struct, list }) => [struct, list])).values(),
];

function rank(name: string): number {
  if (name.startsWith("io.k8s.api.core.")) return 1000;
  const [, major = "0", unstable] = /\.v(\d+)(\w+)?\.\w+$/.exec(name) ?? [];
  return unstable === undefined ? Number(major) : -1;
}

/** The object as the server keeps it, or as a client may write it. */
type Side = "value" | "input";

interface Context {
  readonly names: ReadonlyMap<string, string>;
  /** The structs of kinds: what tells their kind is always there. */
  readonly objects: ReadonlySet<Struct>;
  /** The structs of which a client may write less, or otherwise, than the server keeps. */
  readonly differing: ReadonlySet<Struct>;
}

function renderInterface(struct: Struct, side: Side, context: Context): string {
  const fields = Object.entries(struct.fields).map(([name, field]) => {
    const type = renderType(field.type, side, context, field.allowed);
    const isThere = isPresent(field, side, context.objects.has(struct) && isIdentity(name));
    const line = `  readonly ${key(name)}${isThere ? "" : "?"}: ${type}${isThere ? "" : " | undefined"};`;
    return field.description === "" ? line : `  /** ${comment(field.description)} */\n${line}`;
  });
  const what = side === "input" ? " As a client may write it." : "";
  return [
    `/** ${comment(struct.description)}${what} */`,
    `export interface ${nameOf(struct, side, context)} {`,
    ...fields,
    "}\n",
  ].join("\n");
}

const isIdentity = (name: string): boolean => name === "kind" || name === "apiVersion";

/** What a client must write is always there; so is what the server fills in, once it has. */
function isPresent(field: Field, side: Side, identity: boolean): boolean {
  const isFilledIn = field.defaultValue !== undefined || identity;
  if (field.isRequired && field.defaultValue === undefined) return true;
  return side === "value" && (isFilledIn || field.zero === "always");
}

const plainTypes: Readonly<
  Record<Exclude<TypeCode, "struct" | "either" | "list" | "map">, string>
> = {
  string: "string",
  bool: "boolean",
  int32: "number",
  int64: "number",
  double: "number",
  bytes: "string",
  time: "string",
  microTime: "string",
  duration: "string",
  quantity: "string",
  intOrString: "number | string",
  raw: "unknown",
  fieldsV1: "unknown",
  json: "unknown",
};

function renderType(type: Type, side: Side, context: Context, allowed?: readonly string[]): string {
  const { code, of } = type;
  if (code === "list") {
    const item = of ? renderType(of, side, context, allowed) : "unknown";
    return `readonly ${/[ |]/.test(item) ? `(${item})` : item}[]`;
  }
  if (code === "map")
    return `Readonly<Record<string, ${of ? renderType(of, side, context) : "unknown"}>>`;
  if (code === "struct" || code === "either") {
    const struct = structOf(type);
    const name = struct ? nameOf(struct, side, context) : "unknown";
    return type.either ? `${name} | ${renderType(type.either.other, side, context)}` : name;
  }
  if (code === "string" && allowed)
    return allowed.map((value) => JSON.stringify(value)).join(" | ");
  return code === "quantity" && side === "input" ? "number | string" : plainTypes[code];
}

function nameOf(struct: Struct, side: Side, { names, differing: differs }: Context): string {
  const name = names.get(struct.name) ?? struct.shortName;
  return side === "input" && differs.has(struct) ? `${name}Input` : name;
}

/** Grows until nothing is added: a struct differs when something that it holds does. */
function differing(structs: readonly Struct[], objects: ReadonlySet<Struct>): ReadonlySet<Struct> {
  const found = new Set<Struct>();
  const differs = (struct: Struct): boolean =>
    Object.entries(struct.fields).some(([name, field]) => {
      const identity = objects.has(struct) && isIdentity(name);
      const item = itemType(field.type);
      const inner = structOf(item);
      return (
        item.code === "quantity" ||
        (inner !== undefined && found.has(inner)) ||
        isPresent(field, "value", identity) !== isPresent(field, "input", identity)
      );
    });
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const struct of structs) if (!found.has(struct) && differs(struct)) found.add(struct);
  }
  return found;
}

const itemType = (type: Type): Type => (type.of ? itemType(type.of) : type);
const key = (name: string): string => (/^[\w$]+$/.test(name) ? name : JSON.stringify(name));
const comment = (text: string): string => text.replaceAll("*/", "*\\/");
const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const kindInterface = `/** A kind: \`O\` is an object as the server keeps it, \`I\` as a client may write it. */
export interface Kind<O = unknown, I = O> {
  readonly $value?: O;
  readonly $input?: I;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}
`;
