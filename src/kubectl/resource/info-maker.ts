import { PartialObjectMetadata } from "../../api/meta/v1/partial-object-metadata.ts";
import { NoMatchError } from "../../client/discovery/mapping-errors.ts";
import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../client/resource-kind.ts";
import { decodeJson } from "../../schema/json/decode.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Factory } from "../factory/factory.ts";
import { RequestError } from "../factory/request-error.ts";
import { type Info, isList } from "./info.ts";
import { typedObject } from "./typed-object.ts";

/** Makes infos of the objects in files and lists. */
export interface InfoMaker {
  /** An object of a manifest. */
  ofDocument(value: unknown, from: Pick<Info, "source" | "place">): Promise<Info>;
  /** An object of a list. */
  ofItem(
    object: DynamicObject,
    list: Pick<Info, "source" | "place" | "resourceVersion">,
  ): Promise<Info>;
  /** Stands for an object that could not be read. */
  unknown(source: string): Info;
}

interface InfoMakerOptions {
  /** Whether no server is asked which kinds there are. */
  readonly isLocal: boolean;
  /** Whether objects are read as Go's types. */
  readonly isTyped?: boolean | undefined;
  /** Whether standard input is read: then requests after discovery have credentials without prompts. */
  readonly isStdinUsed: boolean;
}

/** Makes infos with the kinds that the server has. */
export function infoMaker(
  factory: Pick<Factory, "mapper" | "logUnreachable" | "useStdin">,
  { isLocal, isTyped = false, isStdinUsed }: InfoMakerOptions,
): InfoMaker {
  const kindOf = async (object: DynamicObject): Promise<DiscoveredKind | undefined> => {
    if (isLocal) return undefined;
    const kind = await (await factory.mapper()).kindOf(object);
    if (isStdinUsed) factory.useStdin();
    return kind;
  };

  return {
    async ofDocument(value, from) {
      const { source } = from;
      const checked = checkedObject(value, source);
      const object = isTyped ? await typedDocument(checked, source) : checked;
      const { name = "", namespace = "" } = object.metadata ?? {};
      try {
        return infoOf(object, await kindOf(object), from);
      } catch (error) {
        factory.logUnreachable(error, 1);
        if (error instanceof RequestError)
          throw new Error(`unable to recognize ${quote(source)}: ${error.message}`, {
            cause: error,
          });
        if (!(error instanceof NoMatchError)) throw error;
        throw new Error(
          `resource mapping not found for name: ${quote(name)} namespace: ${quote(namespace)} from ${quote(source)}: ${error.message}\nensure CRDs are installed first`,
          { cause: error },
        );
      }
    },
    async ofItem(untyped, { resourceVersion, ...from }) {
      const item = isTyped ? await typedItem(untyped) : untyped;
      try {
        const info = infoOf(item, await kindOf(item), from);
        if (resourceVersion !== "") info.resourceVersion = resourceVersion;
        return info;
      } catch (error) {
        if (!(error instanceof NoMatchError)) throw error;
        throw new Error(`unable to recognize ${error.message}`, { cause: error });
      }
    },
    unknown: (source) => ({
      kind: undefined,
      namespace: "",
      name: "",
      source,
      object: undefined,
      resourceVersion: "",
      subresource: "",
    }),
  };
}

function infoOf(
  object: DynamicObject,
  kind: DiscoveredKind | undefined,
  { source, place }: Pick<Info, "source" | "place">,
): Info {
  const { name = "", namespace = "", resourceVersion = "" } = object.metadata ?? {};
  return { kind, namespace, name, source, place, object, resourceVersion, subresource: "" };
}

/** A document as a typed object; lists are typed by their items. */
async function typedDocument(object: DynamicObject, source: string): Promise<DynamicObject> {
  if (isList(object)) return object;
  try {
    return await typedObject(object);
  } catch (error) {
    throw new Error(`unable to decode ${quote(source)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function typedItem(object: DynamicObject): Promise<DynamicObject> {
  try {
    return await typedObject(object);
  } catch (error) {
    throw new Error(
      `unable to get type info from the object "*runtime.Unknown": no kind is registered for the type runtime.Unknown in scheme "k8s.io/kubectl/pkg/scheme/scheme.go:28"`,
      { cause: error },
    );
  }
}

/** Checks what every object has; throws with the text of the object. */
function checkedObject(value: unknown, source: string): DynamicObject {
  const fail = (problem: string): Error =>
    new Error(`unable to decode ${quote(source)}: ${problem}`);
  const text = stringifyJson(value);
  if (!isMap(value))
    throw fail(
      `json: cannot unmarshal ${Array.isArray(value) ? "array" : typeof value} into Go value of type unstructured.detector`,
    );
  const { apiVersion, kind, metadata } = value;
  if (apiVersion === undefined || apiVersion === "")
    if (kind !== undefined && kind !== "")
      throw fail(`Object 'apiVersion' is missing in '${text}'`);
  if (kind === undefined || kind === "") throw fail(`Object 'Kind' is missing in '${text}'`);
  if (metadata !== undefined && metadata !== null && !isMap(metadata))
    throw fail(
      `json: cannot unmarshal ${Array.isArray(metadata) ? "array" : typeof metadata} into Go struct field .metadata of type v1.ObjectMeta`,
    );
  // Commands read metadata themselves, so that its errors are not left to the server.
  try {
    // The original's YAML reader sorts keys: that decides which error comes first.
    const sorted = Object.entries(metadata ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
    decodeJson(PartialObjectMetadata, stringifyJson({ metadata: Object.fromEntries(sorted) }));
  } catch (error) {
    throw fail((error as Error).message);
  }
  return value as unknown as DynamicObject;
}
