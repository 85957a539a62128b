import { StatusError } from "../../api/meta/v1/status-error.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { notFoundAt } from "../objects/address.ts";
import type { Environment } from "../objects/environment.ts";
import { type AnyKind, type ApiObject, canonical, type ObjectDraft } from "../objects/object.ts";
import {
  addressOf,
  anyKind,
  type KindOf,
  type ObjectKey,
  type ObjectReader,
} from "../objects/reader.ts";
import { serverContext } from "../server-context.ts";
import { create } from "./create.ts";
import { deleteObject } from "./delete.ts";
import { forceApply } from "./patch/force-apply.ts";
import { tolerating } from "./tolerating.ts";
import { update } from "./update.ts";
import { type VerbParts, withoutAdmission } from "./verb-parts.ts";

/** The parts of the server that its own work uses. */
export interface OwnParts {
  readonly reader: ObjectReader;
  readonly writer: Writer;
  readonly environment: Environment;
}

/** The parts for work of the server that no request started; its writes need no admission. */
export const ownParts = (parts: VerbParts): OwnParts => ({
  reader: parts.reader,
  environment: parts.environment,
  writer: new Writer(withoutAdmission(parts)),
});

export interface WriterOptions {
  /** The field manager of the written fields; that of the server if not given. */
  readonly fieldManager?: string | undefined;
}

export interface UpdateOptions extends WriterOptions {
  readonly subresource?: string;
}

interface Named {
  readonly metadata?:
    | { readonly namespace?: string | undefined; readonly name?: string | undefined }
    | undefined;
}

/** Writes objects by kind as the server itself: `writer.ensure(Namespace, { metadata: { name } })`. */
export class Writer {
  readonly #parts: VerbParts;

  constructor(parts: VerbParts) {
    this.#parts = parts;
  }

  /** Creates an object; throws AlreadyExists. Does nothing if the kind is not served. */
  async create<I>(
    kind: KindOf<unknown, I>,
    object: I & Named,
    { fieldManager }: WriterOptions = {},
  ): Promise<void> {
    if (!this.#parts.reader.serves(kind)) return;
    const at = { kind: anyKind(kind), namespace: object.metadata?.namespace ?? "" };
    const draft = draftOf(at.kind, object);
    await create(this.#parts, at, { draft, context: serverContext(fieldManager) });
  }

  /** Creates an object unless it exists: another server on the same store may have been first. */
  async ensure<I>(
    kind: KindOf<unknown, I>,
    object: I & Named,
    options?: WriterOptions,
  ): Promise<void> {
    await tolerating(["AlreadyExists"], this.create(kind, object, options));
  }

  /**
   * Writes the object that `change` returns, if it returns one; false if the object does not exist.
   * Throws Conflict if the new object has another resourceVersion than the current one.
   */
  async update<O, I>(
    kind: KindOf<O, I>,
    key: ObjectKey,
    change: (existing: O) => I | undefined,
    options: UpdateOptions = {},
  ): Promise<boolean> {
    return this.#change(kind, key, { ...options, change: (existing) => change(existing as O) });
  }

  /** The same, but creates the object if it does not exist. */
  async createOrUpdate<O, I>(
    kind: KindOf<O, I>,
    key: ObjectKey,
    change: (existing: O | undefined) => I,
    { fieldManager }: WriterOptions = {},
  ): Promise<void> {
    const address = addressOf(kind, key);
    const request = {
      address,
      subresource: "",
      isPatch: true,
      mayCreate: true,
      change: (existing: unknown) => draftOf(address.kind, change(existing as O | undefined)),
    };
    await update(this.#parts, request, serverContext(fieldManager));
  }

  /**
   * Applies the fields that `config` returns, taking them from other field managers; none if it returns
   * undefined. False if the object does not exist.
   */
  async apply<O>(
    kind: KindOf<O>,
    key: ObjectKey,
    config: (existing: O) => object | undefined,
    { subresource = "", fieldManager }: UpdateOptions & { readonly fieldManager: string },
  ): Promise<boolean> {
    const target = { kind: anyKind(kind), subresource };
    const change = (object: ApiObject) => {
      const fields = config(object as O);
      if (fields) return forceApply(this.#parts, target, { object, config: fields, fieldManager });
      return undefined;
    };
    return this.#change(kind, key, { subresource, fieldManager, isOwned: true, change });
  }

  /** Deletes an object, if it exists and has this uid. */
  async delete(
    kind: KindOf<unknown>,
    key: ObjectKey,
    { uid }: { readonly uid?: string | undefined } = {},
  ): Promise<void> {
    const options = uid === undefined ? {} : { preconditions: { uid } };
    const deletion = { options, context: serverContext() };
    await tolerating(
      uid === undefined ? ["NotFound"] : ["NotFound", "Conflict"],
      deleteObject(this.#parts, addressOf(kind, key), deletion),
    );
  }

  async #change(
    kind: KindOf<unknown>,
    key: ObjectKey,
    { subresource = "", fieldManager, isOwned = false, change }: Change,
  ): Promise<boolean> {
    const address = addressOf(kind, key);
    const request = {
      address,
      subresource,
      isPatch: true,
      isOwned,
      change(existing: ApiObject | undefined) {
        // Some kinds are created by an update, which would bring back an object that is gone.
        if (!existing) throw notFoundAt(address);
        return draftOf(address.kind, change(existing) ?? existing);
      },
    };
    try {
      await update(this.#parts, request, serverContext(fieldManager));
      return true;
    } catch (error) {
      if (StatusError.is(error, "NotFound")) return false;
      throw error;
    }
  }
}

interface Change extends UpdateOptions {
  /** Whether the new object carries managedFields that count, as after an apply. */
  readonly isOwned?: boolean;
  change(existing: ApiObject): unknown;
}

/** An object as the verbs receive it when a client has sent it. */
function draftOf(kind: AnyKind, object: unknown): ObjectDraft {
  const whole = { kind: kind.kind, apiVersion: apiVersionOf(kind), ...(object as object) };
  return structuredClone(canonical(kind, whole)) as ObjectDraft;
}
