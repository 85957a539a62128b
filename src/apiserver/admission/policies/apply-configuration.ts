import { CelList, CelMap, CelObject, type CelValue } from "../../../cel/values/cel-value.ts";
import { jsonBehind } from "../../../cel/values/json-value.ts";
import { elementsOf, JoinedList } from "../../../cel/values/list.ts";
import { entriesOf } from "../../../cel/values/map.ts";
import { NativeError, nativeFields } from "../../../cel/values/native-value.ts";
import { merged } from "../../../schema/apply/merge.ts";
import { problemsOf } from "../../../schema/apply/problems-of.ts";
import { ItemError, problemText, shapeOfMember } from "../../../schema/apply/typed.ts";
import { DecodeError } from "../../../schema/json/decode.ts";
import { isMap, type JsonMap, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import type { Shape } from "../../../schema/language/shape.ts";
import { fromUnstructured } from "../../../schema/strategic-merge/from-unstructured.ts";
import { quote } from "../../../schema/values/quote.ts";
import { gvk } from "../../connect/webhooks/returned-review.ts";
import { type AnyKind, type ApiObject, canonical } from "../../objects/object.ts";
import { completedObject } from "../mutating/decode-document.ts";
import { MutationFault } from "./mutation-fault.ts";

/** An object that is to be changed, in the form in which clients read it; options of a connection have no kind. */
export interface Target {
  readonly object: ApiObject;
  readonly kind: AnyKind | undefined;
}

/** The object after an `Object` was laid over it; itself where that changes nothing. Throws MutationFault. */
export function applyConfiguration({ object, kind }: Target, value: CelValue): ApiObject {
  const { apiVersion, kind: name } = object;
  const config = { ...configurationIn(value), apiVersion, kind: name } as ApiObject;
  const result = overlaid(kind, object, config);
  if (result === object || !kind) return object;
  if (!differsOnlyInMetadata(result, object)) return completedObject(kind, decoded(kind, result));
  // Metadata has no defaults: the rest need not be read again.
  const { metadata } = canonical(
    kind,
    decoded(kind, { apiVersion, kind: name, metadata: result.metadata }),
  );
  return { ...object, metadata };
}

function differsOnlyInMetadata(result: ApiObject, object: ApiObject): boolean {
  const [mine, theirs] = [result, object] as unknown as readonly [ReadonlyJsonMap, ReadonlyJsonMap];
  // What is laid over an object removes nothing from it.
  return Object.keys(mine).every((name) => name === "metadata" || mine[name] === theirs[name]);
}

/** A document as a draft of the kind. */
function decoded(
  kind: AnyKind,
  document: Pick<ApiObject, "apiVersion" | "kind" | "metadata">,
): ApiObject {
  if (!kind.struct) return kind.form.afterApply(document) as ApiObject;
  try {
    return fromUnstructured(kind.struct, document as unknown as JsonMap).value as ApiObject;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const what = `unable to convert unstructured object to ${gvk(document.apiVersion, document.kind)}`;
    throw new MutationFault(`${what}: ${error.message}`);
  }
}

/** The value of an expression whose type is `Object`. */
function configurationIn(value: CelValue): ReadonlyJsonMap {
  const problems = nameProblems(value, "Object");
  if (problems.length > 0) throw new MutationFault(`type mismatch: ${problems.join("\n")}`);
  try {
    return nativeFields(value as CelObject);
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    throw new MutationFault("invalid return type: *dynamic.ObjectVal");
  }
}

/**
 * The messages in a value whose types are not named after the fields that they are in. Lists and maps have no names of
 * their own.
 */
export function nameProblems(value: CelValue, path: string): readonly string[] {
  if (value instanceof CelObject) {
    if (value.typeName === "JSONPatch") return [];
    const own = `unexpected type name ${quote(value.typeName)}, expected ${quote(path)}, which matches field name path from root Object type`;
    const inner = [...value.fields].flatMap(([name, held]) =>
      nameProblems(held, `${path}.${name}`),
    );
    return value.typeName === path ? inner : [own, ...inner];
  }
  if (!(value instanceof CelList) && !(value instanceof CelMap)) return [];
  // Upstream does not look into lists that were added to each other.
  if (jsonBehind(value) !== undefined || value instanceof JoinedList) return [];
  const held =
    value instanceof CelList ? elementsOf(value) : entriesOf(value).map(([, each]) => each);
  return held.flatMap((each) => nameProblems(each, path));
}

function overlaid(kind: AnyKind | undefined, object: ApiObject, config: ApiObject): ApiObject {
  const failed = (what: string) => new MutationFault(`error applying patch: ${what}`);
  const shape = kind?.form.shape;
  const problem = shape
    ? problemIn(shape, config, false)
    : `no corresponding type for ${gvk(config.apiVersion, config.kind)}`;
  if (!shape || problem !== undefined)
    throw failed(`failed to convert patch object to typed object: ${problem}`);
  const atomics = atomicsIn(shape, config, "");
  if (atomics.length > 0)
    throw failed(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`,
    );
  // An object of a declared kind has its shape.
  const problemOfObject = kind?.struct ? undefined : problemIn(shape, object, true);
  if (problemOfObject !== undefined)
    throw failed(`failed to convert original object to typed object: ${problemOfObject}`);
  try {
    return merged(shape, object, config) as ApiObject;
  } catch (error) {
    if (error instanceof ItemError) throw failed(`failed to merge patch: ${error.message}`);
    throw error;
  }
}

function problemIn(shape: Shape, value: unknown, allowDuplicates: boolean): string | undefined {
  const problems = problemsOf(shape, value, { allowDuplicates });
  return problems.length > 0 ? problemText(problems) : undefined;
}

/**
 * The parts of a configuration that would replace those of the object as a whole, with fields that the policy does not
 * name. Members that are no fields are not looked at, as upstream has it.
 */
function atomicsIn({ map, list }: Shape, value: unknown, path: string): readonly string[] {
  if (map && isMap(value)) {
    const inner = Object.entries(value).flatMap(([name, held]) => {
      const shape = map.fields.has(name) ? shapeOfMember(map, name) : undefined;
      return shape ? atomicsIn(shape, held, `${path}.${name}`) : [];
    });
    return map.isAtomic ? [path, ...inner] : inner;
  }
  if (list && Array.isArray(value)) {
    const inner = value.flatMap((held, i) => atomicsIn(list.items, held, `${path}[${i}]`));
    return list.kind === "atomic" ? [path, ...inner] : inner;
  }
  return [];
}
