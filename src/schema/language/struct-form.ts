import { type Decoded, decodeJson } from "../json/decode.ts";
import { encodeJson } from "../json/json.ts";
import { copyJson, type JsonMap } from "../json/json-value.ts";
import { jsonValue, maxKeptDepth, parseJson, stringifyJson } from "../json/strict-json.ts";
import { envelopeAround, isEnvelope, openEnvelope } from "../protobuf/envelope.ts";
import { writeMessage } from "../protobuf/protobuf.ts";
import { decodeProtobuf } from "../protobuf/protobuf-decode.ts";
import { countMembers } from "../strategic-merge/from-unstructured.ts";
import { applyDefaults } from "./defaults.ts";
import { canonicalise, inMemory, normalise } from "./normalise.ts";
import type { ObjectForm } from "./object-form.ts";
import { shapeOf } from "./shape.ts";
import type { Struct } from "./struct.ts";

/** What objects of a declared kind say of themselves, and the structs that they and lists of them are. */
export interface StructFormOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly struct: Struct;
  readonly list: Struct;
  /** By other versions in which upstream stores objects of the kind, as JSON: what makes them this one. */
  readonly storedVersions?: Readonly<Record<string, (object: JsonMap) => JsonMap>> | undefined;
}

/** The form of objects that are declared as a struct: protobuf in the store, fields in their order. */
export function structForm({
  apiVersion,
  kind,
  struct,
  list,
  storedVersions = {},
}: StructFormOptions): ObjectForm {
  return {
    name: struct.name,
    listName: list.name,
    get shape() {
      return shapeOf(struct);
    },
    mustNameKind: false,
    decode: (text) => decodeJson(struct, text),
    decodeValue: (value, text) => decodeStructValue(struct, value, text),
    afterApply: (object) => decodeJson(struct, stringifyJson(object)).value,
    complete: (draft) => applyDefaults(struct, draft),
    canonical: (object) => canonicalise(struct, object),
    inMemory: (object) => inMemory(struct, object),
    encode: (object) => encodeJson(struct, object),
    head: headOf(apiVersion, kind),
    listFrame: (metadata) => [
      `${headOf(apiVersion, `${kind}List`)}"metadata":${JSON.stringify(metadata)},"items":[`,
      "]}\n",
    ],
    precedesVersion: (name) => beforeVersion.has(name),
    toBytes: (object) =>
      envelopeAround({ apiVersion, kind }, (writer) => writeMessage(writer, struct, object)),
    fromBytes(bytes) {
      if (!isEnvelope(bytes)) {
        const value = fromJson(struct, bytes, storedVersions);
        return canonicalise(struct, { ...value, kind, apiVersion });
      }
      const { metadata, ...fields } = decodeProtobuf(struct, openEnvelope(bytes).raw) as {
        readonly metadata: unknown;
      };
      return { kind, apiVersion, metadata, ...fields };
    },
    completesStored: false,
  };
}

/** Upstream keeps some kinds as JSON: definitions of custom resources, for one. */
function fromJson(
  struct: Struct,
  bytes: Uint8Array,
  versions: NonNullable<StructFormOptions["storedVersions"]>,
): object {
  const text = new TextDecoder().decode(bytes);
  const stored = jsonValue(parseJson(text, maxKeptDepth)) as JsonMap;
  const convert = versions[String(stored.apiVersion)];
  return decodeJson(struct, convert ? stringifyJson(convert(stored)) : text).value as object;
}

const headOf = (apiVersion: string, kind: string): string =>
  `{"kind":"${kind}","apiVersion":"${apiVersion}",`;

/** What stands before the version in metadata. */
const beforeVersion = new Set(["name", "generateName", "namespace", "selfLink", "uid"]);

/** Reads a value of a struct that was parsed already: one that is as declared needs no text. */
export function decodeStructValue(struct: Struct, value: unknown, text: () => string): Decoded {
  const fast = normalise(struct, value);
  return fast && fast.members === countMembers(value)
    ? { value: copyJson(fast.value), strict: [] }
    : decodeJson(struct, text());
}
