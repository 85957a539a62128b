import type { OpenApiVersion, Schema } from "../openapi/openapi.ts";
import type { ObjectForm } from "./object-form.ts";
import type { At } from "./report.ts";
import type { Struct } from "./struct.ts";
import type { Write } from "./write.ts";

export type Verb =
  | "create"
  | "delete"
  | "deletecollection"
  | "get"
  | "list"
  | "patch"
  | "update"
  | "watch";

/** A column of the tables that `kubectl get` prints. */
export interface Column<O = never> {
  readonly name: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  /** Shown with `-o wide` only. */
  readonly wide?: true;
  /** How much it matters, where the kind says so itself: 0 is always shown. */
  readonly priority?: number;
  /** A cell of rows that upstream has no heading for. */
  readonly unnamed?: true;
  cell(object: O, context: TableContext): unknown;
}
/** What a cell may depend on beside the object. */
export interface TableContext {
  /** Milliseconds since the epoch: for ages. */
  readonly now: number;
}

/**
 * How objects of a kind are created, changed and deleted, beside their rules: upstream's strategy. The
 * steps may change the object that they get; `old` is shared and must not be changed.
 */
export interface Strategy<O> {
  /** After a write is decoded and before its fields get owners: sets what upstream sets while decoding. */
  afterDecode?(object: O): void;
  /** Before an object is validated and created: clears what clients may not set. */
  prepareCreate?(object: O, write: Write): void;
  /** Before an update of the object itself: keeps the status, bumps the generation. */
  prepareUpdate?(object: O, old: O, write: Write): void;
  /** Before an update of the status subresource: keeps everything else. */
  prepareStatusUpdate?(object: O, old: O, write: Write): void;
  /** After validation, before an object is stored. */
  canonicalise?(object: O): void;
  /** After an object has been read from its bytes: fills in what protobuf has no place for. */
  restore?(object: O): void;
  /**
   * Fills in what upstream writes into an object that has nothing set, such as that of a bookmark: its
   * internal type holds a value where the served version has a pointer.
   */
  fillEmpty?(object: O): void;
  /** Subresources beside the status through which the object itself is changed. */
  readonly updates?: Readonly<Record<string, SubresourceUpdate<O>>>;
  /**
   * The fields that a write resets, as paths such as `metadata.labels`, by the subresource that it
   * goes through (empty for the object itself): server-side apply gives nobody ownership of them.
   */
  readonly resets?: Readonly<Record<string, readonly string[]>>;
  /**
   * The same said the other way round, for subresources that change little: all that a write can
   * change, with `*` for any item of a list.
   */
  readonly changes?: Readonly<Record<string, readonly string[]>>;
  /** What to tell the client although all is well. `old` is absent at creation. */
  warnings?(object: O, old: O | undefined): readonly string[];
  /** The same for an update of the status subresource. */
  statusWarnings?(object: O, old: O): readonly string[];
  /** A PUT to a name that does not exist creates it. */
  readonly createOnUpdate?: true;
  /** A PUT without resourceVersion is refused. */
  readonly conditionalUpdateOnly?: true;
  /** Why no object can be created now; undefined: it can. */
  createRefusal?(): string | undefined;
  /** The store forgets the object some time after it was written last. */
  readonly expires?: true;
  /** Seconds of grace at deletion, given what the client asked for; without it, deletion is at once. */
  graceSeconds?(object: O, asked: number | undefined): number;
  /** Why an object of this name cannot be deleted, whether there is one or not; undefined: it can. */
  deleteRefusal?(name: string): string | undefined;
  /** Deletion answers with the object and not with a Status. */
  readonly deleteReturnsObject?: true;
  /** What becomes of the dependents when the client does not say. */
  readonly dependents?: "delete" | "orphan" | "ignore";
  /** What to tell a client that deletes without saying what becomes of the dependents. */
  readonly dependentsWarning?: string;
  /** The object ends in two steps: it is marked by this at first, and goes once `mayDelete` says so. */
  beginDelete?(object: O, dependents: Dependents): void;
  /** Whether an object that is being deleted may be removed, beside having no finalizers. */
  mayDelete?(object: O): boolean;
}

/** What whoever deletes an object says of what depends on it. */
export interface Dependents {
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
}

/** How an update through a subresource differs from one of the object. */
export interface SubresourceUpdate<O> {
  /** Before it is validated: keeps what may not be changed this way. */
  prepare(object: O, old: O, write: Write): void;
  /** Its rules, instead of those of an update. */
  validate(object: O, old: O, at: At): void;
}

/** How objects of a kind that is stored as another become it, and come from it. */
export interface Conversion {
  readonly stored: ServedKind;
  fromStored(object: never): unknown;
  toStored(object: never): unknown;
}

/** Converts objects of a kind between its versions where this takes time, because a webhook does it. */
export interface VersionConverter {
  /** The version that bytes of the store are in. */
  versionOf(bytes: Uint8Array): string;
  /** Objects of one other version as those of a version, in the same order; they may be frozen. */
  convert(objects: readonly object[], version: string): Promise<readonly object[]>;
}

/** All that a server knows of a kind, declared or not. `O` is the object as stored, `I` as written. */
export interface ServedKind<O = unknown, I = unknown> {
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
  readonly verbs: readonly Verb[];
  /** Alphas and betas are served only when they are asked for. */
  readonly stability: "stable" | "beta" | "alpha";
  /** What every answer warns of, where the version of the kind is on its way out. */
  readonly deprecated?: string | undefined;
  /** False for what is answered and not kept, such as reviews. */
  readonly isStored: boolean;
  /** Where its objects stand in the store: `/registry/` and this. */
  readonly storagePrefix: string;
  /** How its objects are read and written. */
  readonly form: ObjectForm;
  /** Its declaration; what has none has no protobuf and no strategic merge patches. */
  readonly struct?: Struct<O, I> | undefined;
  readonly list?: Struct | undefined;
  /** The kind that its objects are stored as, where nothing but the version tells them apart. */
  readonly storedAs?: ServedKind | undefined;
  /** All versions of it by the version that objects name, served or not, where it knows them itself. */
  readonly versions?: ReadonlyMap<string, ServedKind> | undefined;
  /** The `apiVersion` of older forms that are read as this one, where it is served in no other version. */
  readonly alsoReads?: readonly string[] | undefined;
  /** For a kind that is stored as another one, such as an older version of it. */
  readonly conversion?: Conversion | undefined;
  /** Where a webhook converts between its versions: such objects are converted before they are read. */
  readonly converter?: VersionConverter | undefined;
  readonly subresources: readonly string[];
  readonly columns: readonly Column[];
  /** What a table says of a row beside its cells: that a pod has ended. */
  readonly rowConditions?: ((object: never) => readonly object[]) | undefined;
  /** Fields that can be selected on beside metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, (object: never) => string>>;
  readonly strategy: Strategy<never>;
  /** Annotations that upstream holds as fields: absent where the metadata is shown alone. */
  readonly fieldAnnotations: readonly string[];
  /** Whether its own validation covers the metadata. */
  readonly validatesMetadata: boolean;
  validateCreate(object: O, at: At): void;
  validateUpdate(object: O, old: O, at: At): void;
  validateStatusUpdate(object: O, old: O, at: At): void;
  /** Where the number is that it is scaled by, if the subresource scale finds it by paths. */
  readonly scale?: ScalePaths | undefined;
  /** The schemas of its objects and lists in OpenAPI by name, where they follow from no declaration. */
  schemas?(version: OpenApiVersion): Readonly<Record<string, Schema>>;
  /** The part of a definition that these schemas and its paths in OpenAPI are made of. */
  definedBy?(): unknown;
  /** What is said of a field that it cannot be selected on. */
  unknownField?(field: string): string;
}

/** The places in an object of what its Scale shows, as the names of members one in another. */
export interface ScalePaths {
  readonly replicas: readonly string[];
  readonly currentReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
}

/** A kind that is declared. */
export interface Kind<O = unknown, I = unknown> extends ServedKind<O, I> {
  /** The object: kind, apiVersion, metadata and the kind's own fields. */
  readonly struct: Struct<O, I>;
  readonly list: Struct;
}

export const apiVersionOf = ({ group, version }: Pick<ServedKind, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`;

/** `deployments.apps`, or `pods`. */
export const resourceOf = ({ group, plural }: Pick<ServedKind, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`;
