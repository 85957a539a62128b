import { parsePointer } from "../json/json-pointer.ts";
import { isMap } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { quote } from "../values/quote.ts";

/** One step of a JSON patch (RFC 6902), as a client may send it. */
export type JsonPatchOperation = Readonly<Record<string, unknown>>;

/** A patch that does not apply. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
}

/** A patch with a test that does not hold. */
export class JsonPatchTestError extends JsonPatchError {}

/** More operations than these are refused. */
export const maxJsonPatchOperations = 10_000;

/** Reads a decoded body as a patch; throws a SyntaxError with Go's words. */
export function decodeJsonPatch(
  body: unknown,
  { strict = false }: { strict?: boolean } = {},
): JsonPatchOperation[] {
  if (body === null) return [];
  const into = (strictType: string, type: string) =>
    `Go value of type ${strict ? strictType : type}`;
  if (!Array.isArray(body)) {
    throw cannotUnmarshal(body, into("[]handlers.jsonPatchOp", "jsonpatch.Patch"));
  }
  return body.map((operation: unknown) => {
    if (operation === null) return {};
    if (!isMap(operation)) {
      throw cannotUnmarshal(operation, into("handlers.jsonPatchOp", "jsonpatch.Operation"));
    }
    if (strict) checkStrings(operation);
    return operation;
  });
}

/** Applies a patch and returns the new document; neither is changed. Throws JsonPatchError. */
export function applyJsonPatch(
  document: unknown,
  patch: readonly JsonPatchOperation[],
  { maxCopyBytes = 3 * 1024 * 1024 }: { maxCopyBytes?: number } = {},
): unknown {
  const draft = new Draft(document, maxCopyBytes);
  for (const operation of patch) draft.apply(operation);
  return draft.root;
}

type Container = unknown[] | Record<string, unknown>;

/** A document under change: what an operation changes is copied first, once. */
class Draft {
  root: unknown;
  /** Containers made here, which may be changed in place. */
  readonly #own = new Set<object>();
  readonly #maxCopyBytes: number;
  #copiedBytes = 0;

  constructor(root: unknown, maxCopyBytes: number) {
    this.root = root;
    this.#maxCopyBytes = maxCopyBytes;
  }

  apply(operation: JsonPatchOperation): void {
    const kind = typeof operation.op === "string" ? operation.op : "unknown";
    switch (kind) {
      case "add":
        this.#add(operation);
        break;
      case "remove":
        this.#remove(operation);
        break;
      case "replace":
        this.#replace(operation);
        break;
      case "move":
        this.#move(operation);
        break;
      case "test":
        this.#test(operation);
        break;
      case "copy":
        this.#copy(operation);
        break;
      default:
        throw new JsonPatchError(`Unexpected kind: ${kind}`);
    }
  }

  #add(operation: JsonPatchOperation): void {
    const path = pointerOf(operation, "path", "add operation failed to decode path");
    const place = this.#place(path, true);
    if (place === undefined) {
      throw missing(`add operation does not apply: doc is missing path: "${path}"`);
    }
    inContext(`error in add for path: '${path}'`, () => insert(place, operand(operation)));
  }

  #remove(operation: JsonPatchOperation): void {
    const path = pointerOf(operation, "path", "remove operation failed to decode path");
    const place = this.#place(path, true);
    if (place === undefined) {
      throw missing(`remove operation does not apply: doc is missing path: "${path}"`);
    }
    inContext(`error in remove for path: '${path}'`, () => remove(place));
  }

  #replace(operation: JsonPatchOperation): void {
    const path = pointerOf(operation, "path", "replace operation failed to decode path");
    const value = operand(operation);
    if (path === "") {
      if (typeof value !== "object" || value === null) {
        throw new JsonPatchError("replace operation value must be object or array");
      }
      this.root = value;
      return;
    }
    const place = this.#place(path, true);
    if (place === undefined) {
      throw missing(`replace operation does not apply: doc is missing path: ${path}`);
    }
    try {
      // A member that is not there is no obstacle, an index is.
      if (Array.isArray(place.container)) get(place);
    } catch (cause) {
      throw missing(`replace operation does not apply: doc is missing key: ${path}`, cause);
    }
    set(place, value);
  }

  #move(operation: JsonPatchOperation): void {
    const from = pointerOf(operation, "from", "move operation failed to decode from");
    const source = this.#place(from, true);
    if (source === undefined) {
      throw missing(`move operation does not apply: doc is missing from path: ${from}`);
    }
    const value = inContext(`error in move for path: '${source.key}'`, () => {
      const found = get(source);
      remove(source);
      return found;
    });
    const path = pointerOf(operation, "path", "move operation failed to decode path");
    const target = this.#place(path, true);
    if (target === undefined) {
      throw missing(`move operation does not apply: doc is missing destination path: ${path}`);
    }
    inContext(`error in move for path: '${path}'`, () => insert(target, value ?? null));
  }

  #test(operation: JsonPatchOperation): void {
    const path = pointerOf(operation, "path", "test operation failed to decode path");
    const failed = () => new JsonPatchTestError(`testing value ${path} failed: test failed`);
    if (path === "") {
      if (!equal(this.root, operand(operation))) throw failed();
      return;
    }
    const place = this.#place(path, false);
    if (place === undefined) {
      throw missing(`test operation does not apply: is missing path: ${path}`);
    }
    const value = inContext(`error in test for path: '${path}'`, () => get(place));
    if (!equal(value ?? null, operand(operation))) throw failed();
  }

  #copy(operation: JsonPatchOperation): void {
    const from = pointerOf(operation, "from", "copy operation failed to decode from");
    const source = this.#place(from, false);
    if (source === undefined) {
      throw missing(`copy operation does not apply: doc is missing from path: ${from}`);
    }
    const value = inContext(`error in copy for from: '${from}'`, () => get(source)) ?? null;
    const path = pointerOf(operation, "path", "copy operation failed to decode path");
    // From here on the copied value is shared: a change on either side makes its own first.
    this.#disown(value);
    const target = this.#place(path, true);
    if (target === undefined) {
      throw missing(`copy operation does not apply: doc is missing destination path: ${path}`);
    }
    this.#copiedBytes += sizeOf(value);
    if (this.#maxCopyBytes > 0 && this.#copiedBytes > this.#maxCopyBytes) {
      throw new JsonPatchError(
        `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${this.#maxCopyBytes}`,
      );
    }
    inContext("error while adding value during copy", () => insert(target, value));
  }

  /** The container that a pointer's last token is a key of; undefined if the way is broken. */
  #place(pointer: string, writable: boolean): Place | undefined {
    const tokens = parsePointer(pointer);
    const key = tokens.pop();
    if (key === undefined || !isContainer(this.root)) return undefined;
    if (writable) this.root = this.#owned(this.root);
    let container = this.root as Container;
    for (const token of tokens) {
      const next = getOrUndefined({ container, key: token });
      if (!isContainer(next)) return undefined;
      const child = writable ? this.#owned(next) : next;
      if (child !== next) set({ container, key: token }, child);
      container = child;
    }
    return { container, key };
  }

  #owned(container: Container): Container {
    if (this.#own.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.#own.add(copy);
    return copy;
  }

  #disown(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    this.#own.delete(value);
    for (const child of Object.values(value)) this.#disown(child);
  }
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

function get({ container, key }: Place): unknown {
  if (Array.isArray(container)) return container[indexOf(key, container.length)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function getOrUndefined(place: Place): unknown {
  try {
    return get(place);
  } catch (error) {
    if (error instanceof JsonPatchError) return undefined;
    throw error;
  }
}

function set({ container, key }: Place, value: unknown): void {
  if (Array.isArray(container)) container[indexOf(key, container.length)] = value;
  else setMember(container, key, value);
}

function insert({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) setMember(container, key, value);
  else if (key === "-") container.push(value);
  else {
    const context = `value was not a proper array index: '${key}'`;
    const index = parseIndex(key, (problem) => new JsonPatchError(`${context}: ${problem}`));
    container.splice(inBounds(index, container.length + 1), 0, value);
  }
}

function remove({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(indexOf(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw missing(`Unable to remove nonexistent key: ${key}`);
}

function indexOf(key: string, length: number): number {
  const index = parseIndex(key, (problem) => new JsonPatchError(problem));
  return inBounds(index, length);
}

/** Negative indices count from the end. */
function inBounds(index: number, length: number): number {
  if (index < length && index >= -length) return index < 0 ? index + length : index;
  throw new JsonPatchError(`Unable to access invalid index: ${index}: invalid index referenced`);
}

function parseIndex(key: string, error: (problem: string) => Error): number {
  if (!/^[+-]?[0-9]+$/.test(key)) {
    throw error(`strconv.Atoi: parsing ${quote(key)}: invalid syntax`);
  }
  return Number(key);
}

function pointerOf(operation: JsonPatchOperation, member: string, context: string): string {
  const pointer = operation[member];
  if (typeof pointer === "string") return pointer;
  if (pointer === undefined || pointer === null) {
    const comma = member === "from" ? "," : "";
    throw missing(`${context}: operation${comma} missing ${member} field`);
  }
  throw new JsonPatchError(
    `${context}: ${cannotUnmarshal(pointer, "Go value of type string").message}`,
  );
}

/** An operation without a value has null. */
function operand(operation: JsonPatchOperation): unknown {
  return operation.value ?? null;
}

function missing(message: string, cause?: unknown): JsonPatchError {
  return new JsonPatchError(`${message}: missing value`, { cause });
}

function inContext<T>(context: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof JsonPatchError)) throw cause;
    throw new JsonPatchError(`${context}: ${cause.message}`, { cause });
  }
}

function equal(a: unknown, b: unknown): boolean {
  if (!isContainer(a) || !isContainer(b)) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equal(item, b[index]));
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function checkStrings(operation: JsonPatchOperation): void {
  for (const member of ["op", "path", "from"]) {
    const value = operation[member];
    if (value === undefined || value === null || typeof value === "string") continue;
    throw cannotUnmarshal(value, `Go struct field jsonPatchOp.${member} of type string`);
  }
}

function cannotUnmarshal(value: unknown, into: string): SyntaxError {
  return new SyntaxError(`json: cannot unmarshal ${kindOf(value)} into ${into}`);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}

/** The length of a value's JSON, in bytes. */
function sizeOf(value: unknown): number {
  const text = JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" ? Number(item) : item,
  );
  return new TextEncoder().encode(text).length;
}
