import type { Decoded } from "../json/decode.ts";
import type { Shape } from "./shape.ts";

/**
 * How objects of a kind are read, written and completed: all that differs between kinds that are
 * declared and kinds of which a schema is known at run time. Objects are still being made in what is
 * said to change in place; elsewhere they may be frozen.
 */
export interface ObjectForm {
  /** Their name in OpenAPI, and that of lists of them. */
  readonly name: string;
  readonly listName: string;
  /** What apply knows of them; undefined where it knows nothing. */
  readonly shape: Shape | undefined;
  /** Whether an object must name its kind; if not, one that does not is what its path says. */
  readonly mustNameKind: boolean;

  /** Reads an object from JSON; throws DecodeError. */
  decode(text: string): Decoded;
  /** The same for a value that was parsed already; `text` is asked for where the value does not do. */
  decodeValue(value: unknown, text: () => string): Decoded;
  /** An object as a draft of its own, after a configuration was applied to it; throws DecodeError. */
  afterApply(object: unknown): unknown;
  /** Fills in defaults, in place. */
  complete(draft: unknown): void;

  /** The form in which an object is stored. */
  canonical(object: unknown): unknown;
  /** The same as upstream has it in memory, before it is stored. */
  inMemory(object: unknown): unknown;
  /** A canonical object as JSON. */
  encode(object: unknown): string;
  /** What the JSON of every object begins with and a list does not repeat. */
  readonly head: string;
  /** What stands before and after the items of a list in JSON. */
  listFrame(metadata: object): readonly [before: string, after: string];
  /** Whether a member of metadata is written before the version of the object. */
  precedesVersion(name: string): boolean;

  /** The bytes that stand for an object in the store, where it has no version. */
  toBytes(object: object): Uint8Array;
  /** The object that bytes of the store stand for. */
  fromBytes(bytes: Uint8Array): unknown;
  /**
   * Whether bytes are read in whatever version they are, and completed: so they need not stand for the
   * very object that was written.
   */
  readonly completesStored: boolean;
}
