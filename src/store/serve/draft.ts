import { overlay } from "../overlay.ts";
import type { Entry, Op } from "../store.ts";
import type { StoreView } from "../transactor.ts";
import { type Attachment, attachmentOps } from "./attachment.ts";
import { etcdErrors } from "./etcd-errors.ts";

/** A commit in preparation: later operations see the effect of earlier ones. */
export class Draft {
  readonly #base: StoreView;
  readonly #changes = new Map<string, Entry | undefined>();
  /** By key; each key occurs once. */
  readonly #ops = new Map<string, Op>();

  constructor(base: StoreView) {
    this.#base = base;
  }

  get ops(): readonly Op[] {
    return [...this.#ops.values()];
  }

  /** The state after the operations so far. */
  get now(): StoreView {
    return overlay(this.#base, this.#changes, this.#base.revision + 1);
  }

  put(key: string, value: Uint8Array, attachment?: Attachment): void {
    if (this.#ops.has(key)) throw etcdErrors.duplicateKey();
    this.#do({ type: "put", key, value });
    for (const op of attachmentOps(this.now, key, attachment)) this.#do(op);
  }

  /** Deletes an existing key. */
  delete(key: string): void {
    if (this.#ops.has(key)) throw etcdErrors.duplicateKey();
    this.#do({ type: "delete", key });
    for (const op of attachmentOps(this.now, key, undefined)) this.#do(op);
  }

  #do(op: Op): void {
    const { key } = op;
    const before = this.#base.get(key);
    const modRevision = this.#base.revision + 1;
    this.#ops.set(key, op);
    this.#changes.set(
      key,
      op.type === "delete"
        ? undefined
        : {
            key,
            value: op.value,
            createRevision: before?.createRevision ?? modRevision,
            modRevision,
            version: (before?.version ?? 0) + 1,
          },
    );
  }
}
