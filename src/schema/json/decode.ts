import { canonicalBase64, encodeBase64 } from "../../base/base64.ts";
import { elementZero, keepingEmpty, type Normalised, normalise } from "../language/normalise.ts";
import type { Struct } from "../language/struct.ts";
import { type Either, structOf, type Type } from "../language/type.ts";
import { canonicalDuration } from "../values/duration.ts";
import { canonicalQuantity } from "../values/quantity.ts";
import { quote } from "../values/quote.ts";
import { canonicalMicroTime, canonicalTime } from "../values/time.ts";
import {
  isInexact,
  type JsonNode,
  JsonSyntaxError,
  jsonValue,
  maxKeptDepth,
  parseJson,
  scanJson,
  setMember,
} from "./strict-json.ts";

/** What was read, and what a strict reader minds: unknown and repeated fields, with their paths. */
export interface Decoded {
  readonly value: unknown;
  readonly strict: readonly string[];
}

/** A text that is not what it should be, in Go's words. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  /** Where in the text it was found, in UTF-16 code units from its start. */
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

const none: readonly string[] = [];

/** Reads a value of a struct from JSON. */
export function decodeJson(struct: Struct, text: string): Decoded {
  const value = decodeFast(struct, text);
  return value === undefined ? decodeNode(struct, parse(text)) : { value, strict: none };
}

/**
 * The native parser, and a look at what it may have lost: it is right when as many members were
 * recognised as the text has.
 */
function decodeFast(struct: Struct, text: string): unknown {
  let normalised: Normalised<unknown> | undefined;
  try {
    normalised = normalise(struct, JSON.parse(text));
  } catch (fault) {
    // Text that is no JSON; or a struct that holds itself so often that the stack does not do.
    if (fault instanceof SyntaxError || fault instanceof RangeError) return undefined;
    throw fault;
  }
  if (normalised === undefined) return undefined;
  const { members, oddNumbers } = scanJson(text);
  return members === normalised.members && !oddNumbers ? normalised.value : undefined;
}

function parse(text: string): JsonNode {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new DecodeError(error.message, error.offset);
    throw error;
  }
}

/** Reads a value that was parsed already, noting all that a strict reader minds. */
export function decodeNode(struct: Struct, node: JsonNode): Decoded {
  const reader = new NodeReader(struct);
  const value = reader.struct(struct, node, undefined);
  if (reader.typeError !== undefined) throw reader.typeError;
  return { value: keepingEmpty(struct, value ?? {}), strict: reader.strict };
}

const maxStrict = 100;

/** Walks a document in its order: that is the order in which Go finds what is wrong. */
class NodeReader {
  readonly strict: string[] = [];
  /** The first value of a wrong type; later ones are not reported, and reading goes on. */
  typeError: DecodeError | undefined;
  /** Names and indices from the root, for strict errors: `spec.containers[0]`. */
  readonly #path: string[] = [];
  /** Names only, for type errors: `spec.containers`. */
  readonly #names: string[] = [];
  /** The struct that the current field stands in. */
  #owner: Struct;
  /** Within a value with a reader of its own in Go: the struct it stands in. Nothing is minded there. */
  #outside: Struct | undefined;

  constructor(root: Struct) {
    this.#owner = root;
  }

  struct(struct: Struct, node: JsonNode, before: unknown): unknown {
    if (node.kind === "null") return before;
    if (node.kind !== "object") return this.#wrong(node, struct.goName);
    const out = (before as Record<string, unknown> | undefined) ?? {};
    const seen = new Set<string>();
    for (const { name, value } of node.members) {
      const field = Object.hasOwn(struct.fields, name) ? struct.fields[name] : undefined;
      if (!field) {
        this.#mind("unknown field", name);
        continue;
      }
      if (seen.has(name)) this.#mind("duplicate field", name);
      seen.add(name);
      const owner = this.#owner;
      this.#owner = struct;
      const depth = this.#names.length;
      this.#names.push(...field.embeddedIn, name);
      const read = this.#within(name, () => this.#value(field.type, value, out[name]));
      this.#names.length = depth;
      this.#owner = owner;
      if (read !== undefined) out[name] = read;
    }
    return out;
  }

  #value(type: Type, node: JsonNode, before: unknown): unknown {
    if (this.#path.length > maxKeptDepth) throw new DecodeError("exceeded max depth");
    switch (type.code) {
      case "struct":
        return this.struct(structOf(type) as Struct, node, before);
      case "list":
        return this.#list(type, node);
      case "map":
        return this.#map(type, node, before);
      case "raw":
      case "fieldsV1":
        return this.#freeForm(node);
      case "json":
        return node.kind === "null" ? undefined : this.#apart(() => this.#freeForm(node));
      case "either":
        return this.#either(type, node);
      default:
        return node.kind === "null" ? before : this.#leaf(type, node);
    }
  }

  #list(type: Type, node: JsonNode): unknown {
    if (node.kind === "null") return undefined;
    if (node.kind !== "array") return this.#wrong(node, type.goType);
    const of = type.of as Type;
    return node.items.map((item, i) => {
      this.#path.push(`[${i}]`);
      const value = this.#value(of, item, undefined) ?? elementZero(of)();
      this.#path.pop();
      return value;
    });
  }

  #map(type: Type, node: JsonNode, before: unknown): unknown {
    if (node.kind === "null") return before;
    if (node.kind !== "object") return this.#wrong(node, type.goType);
    const of = type.of as Type;
    const out = (before as Record<string, unknown> | undefined) ?? {};
    const seen = new Set<string>();
    for (const { name, value } of node.members) {
      if (seen.has(name)) this.#mind("duplicate field", name);
      seen.add(name);
      const read = this.#within(name, () => this.#value(of, value, undefined));
      setMember(out, name, read ?? elementZero(of)());
    }
    return out;
  }

  #either(type: Type, node: JsonNode): unknown {
    const { other, error } = type.either as Either;
    if (node.kind === "object")
      return this.#apart(() => this.struct(structOf(type) as Struct, node, undefined));
    if (node.kind === (other.code === "bool" ? "boolean" : "array"))
      return this.#apart(() => this.#value(other, node, undefined));
    if (error !== undefined && node.kind !== "null") throw new DecodeError(error, node.start);
    return undefined;
  }

  /** Reads what Go reads with a decoder of its own: it knows no strictness, and its errors are final. */
  #apart(read: () => unknown): unknown {
    if (this.#outside !== undefined) return read();
    const before = this.typeError;
    this.typeError = undefined;
    this.#outside = this.#owner;
    const value = read();
    this.#outside = undefined;
    if (this.typeError !== undefined) throw this.typeError;
    this.typeError = before;
    return value;
  }

  /** Any JSON that can be kept exactly; repeated members are minded there, too. */
  #freeForm(node: JsonNode): unknown {
    this.#mindFreeForm(node);
    return jsonValue(node);
  }

  #mindFreeForm(node: JsonNode): void {
    if (this.#path.length > maxKeptDepth) throw new DecodeError("exceeded max depth");
    if (node.kind === "number" && isInexact(node.literal)) this.#wrong(node, "int64");
    if (node.kind === "array")
      for (const [i, item] of node.items.entries()) {
        this.#path.push(`[${i}]`);
        this.#mindFreeForm(item);
        this.#path.pop();
      }
    if (node.kind !== "object") return;
    const seen = new Set<string>();
    for (const { name, value } of node.members) {
      if (seen.has(name)) this.#mind("duplicate field", name);
      seen.add(name);
      this.#within(name, () => this.#mindFreeForm(value));
    }
  }

  #leaf(type: Type, node: JsonNode): unknown {
    switch (type.code) {
      case "string":
        return node.kind === "string" ? node.value : this.#wrong(node, type.goType);
      case "bool":
        return node.kind === "boolean" ? node.value : this.#wrong(node, type.goType);
      case "int32":
      case "int64":
        return this.#integer(type, node);
      case "double":
        return node.kind === "number" && Number.isFinite(Number(node.literal))
          ? Number(node.literal)
          : this.#wrong(node, type.goType);
      case "intOrString":
        return node.kind === "string"
          ? node.value
          : this.#integer({ ...type, goType: "int32" }, node);
      case "quantity":
        if (node.kind === "number") return parsed(canonicalQuantity, node.literal, node.start);
        return node.kind === "string"
          ? parsed(canonicalQuantity, node.value, node.start)
          : parsed(canonicalQuantity, "", node.start);
      default:
        return this.#formatted(type, node);
    }
  }

  #formatted(type: Type, node: JsonNode): unknown {
    if (type.code === "bytes" && node.kind === "array") return this.#byteList(node.items);
    if (node.kind !== "string")
      return this.#wrong(
        node,
        type.code === "bytes" ? type.goType : "string",
        type.code !== "bytes",
      );
    if (type.code === "bytes") {
      try {
        return canonicalBase64(node.value);
      } catch (error) {
        this.typeError ??= new DecodeError((error as Error).message, node.start);
        return undefined;
      }
    }
    if (type.code === "time") return parsed(canonicalTime, node.value, node.start) ?? undefined;
    if (type.code === "microTime")
      return parsed(canonicalMicroTime, node.value, node.start) ?? undefined;
    return parsed(canonicalDuration, node.value, node.start);
  }

  /** Go reads bytes that are listed one by one, too. */
  #byteList(items: readonly JsonNode[]): unknown {
    const bytes = items.map((item) => {
      if (item.kind === "null") return 0;
      const isByte = item.kind === "number" && /^\d+$/.test(item.literal) && +item.literal < 256;
      return isByte ? Number(item.literal) : this.#wrong(item, "uint8");
    });
    return encodeBase64(Uint8Array.from(bytes, (byte) => byte ?? 0));
  }

  #integer(type: Type, node: JsonNode): unknown {
    if (node.kind !== "number") return this.#wrong(node, type.goType);
    const value = Number(node.literal);
    const limit = type.code === "int64" ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1;
    const fits =
      /^-?\d+$/.test(node.literal) &&
      Math.abs(value) <= limit + (value < 0 && type.code !== "int64" ? 1 : 0);
    return fits ? value : this.#wrong(node, type.goType);
  }

  #within<T>(name: string, run: () => T): T {
    this.#path.push(name);
    const result = run();
    this.#path.pop();
    return result;
  }

  #mind(what: string, name: string): void {
    if (this.#outside !== undefined) return;
    const path = [...this.#path, name].reduce((all, part) =>
      part.startsWith("[") ? all + part : `${all}.${part}`,
    );
    const text = `${what} ${quote(path)}`;
    if (this.strict.length < maxStrict && !this.strict.includes(text)) this.strict.push(text);
  }

  /** Notes a value of a wrong type; `final` where the type has its own reader in Go, which stops at once. */
  #wrong(node: JsonNode, goType: string, final = false): undefined {
    const kind = node.kind === "boolean" ? "bool" : node.kind;
    const number =
      node.kind === "number" && /^(u?int|float)/.test(goType) ? ` ${node.literal}` : "";
    const field = `${(this.#outside ?? this.#owner).shortName}.${this.#names.join(".")}`;
    const where = this.#names.length === 0 ? "Go value" : `Go struct field ${field}`;
    const message = `json: cannot unmarshal ${kind}${number} into ${where} of type ${goType}`;
    const error = new DecodeError(message, node.start);
    if (final) throw error;
    this.typeError ??= error;
    return undefined;
  }
}

function parsed<T>(parse: (text: string) => T, text: string, offset: number): T {
  try {
    return parse(text);
  } catch (error) {
    throw new DecodeError((error as Error).message, offset);
  }
}
