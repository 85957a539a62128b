import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import type { Address, Commit, RequestContext } from "../objects/registry.ts";

/** A CONNECT is about the options that a connection is opened with: they are its object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What an admission plugin sees of a request; who asks, how and with which options is its context. */
export interface Attributes<O = ApiObject> {
  readonly operation: Operation;
  /** Of the resource; its name is empty until one is generated, and where a whole collection is deleted. */
  readonly address: Address;
  /** Through which part of the object it is written; empty for all of it. */
  readonly subresource: string;
  /** The kind of the object where the subresource has its own: a Scale, an Eviction, options of a connection. */
  readonly objectKind?: AnyKind;
  /** What is written, or what is said of a connection; of what is deleted, how it is now. */
  readonly object: O;
  readonly old: ApiObject | undefined;
  readonly context: RequestContext;
}

/** Has a say in what is written: may change it first, and refuse it later, by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** What it has a say in; of anything else it is not told. */
  readonly operations: readonly Operation[];
  /**
   * In which resources, and parts of them: `GROUP/PLURAL`, `GROUP/PLURAL/SUBRESOURCE`. In all if not
   * given.
   */
  readonly resources?: readonly string[];
  admit?(attributes: Attributes<ObjectDraft>): void | Promise<void>;
  validate?(attributes: Attributes): void | Promise<void>;
  /**
   * By what a write is committed that no plugin refused, where this one stores something together with
   * it; it may still refuse it then. Undefined, given or returned, is as usual.
   */
  commit?(attributes: Attributes, by: Commit | undefined): Commit | undefined;
}

/** All plugins, one after the other. */
export interface Admission {
  admit(attributes: Attributes<ObjectDraft>): Promise<void>;
  validate(attributes: Attributes): Promise<void>;
  commit?(attributes: Attributes, by: Commit | undefined): Commit | undefined;
}

/** A chain: every plugin may change the object before any may refuse it. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  const told = audience(plugins);
  return {
    async admit(attributes) {
      for (const plugin of told(attributes)) {
        const waiting = plugin.admit?.(attributes);
        if (waiting) await waiting;
      }
    },
    async validate(attributes) {
      for (const plugin of told(attributes)) {
        const waiting = plugin.validate?.(attributes);
        if (waiting) await waiting;
      }
    },
    commit: (attributes, by) =>
      told(attributes).reduce(
        (commit, plugin) => (plugin.commit ? plugin.commit(attributes, commit) : commit),
        by,
      ),
  };
}

type Asked = Pick<Attributes, "operation" | "address" | "subresource">;

/** Who is told of a request: found once for all that are alike. */
function audience(
  plugins: readonly AdmissionPlugin[],
): (asked: Asked) => readonly AdmissionPlugin[] {
  const known = new WeakMap<AnyKind, Map<string, readonly AdmissionPlugin[]>>();
  return ({ operation, address: { kind }, subresource }) => {
    let ofKind = known.get(kind);
    if (!ofKind) {
      ofKind = new Map();
      known.set(kind, ofKind);
    }
    const place = subresource === "" ? operation : `${operation} ${subresource}`;
    let told = ofKind.get(place);
    if (!told) {
      const resource = [kind.group, kind.plural, subresource].join("/").replace(/\/$/, "");
      told = plugins.filter(
        ({ operations, resources }) =>
          operations.includes(operation) && (resources?.includes(resource) ?? true),
      );
      ofKind.set(place, told);
    }
    return told;
  };
}

/** By what a write is committed that was admitted. */
export const committedBy = (
  { admission }: { readonly admission: Admission },
  attributes: Attributes,
  by: Commit | undefined,
): Commit | undefined => (admission.commit ? admission.commit(attributes, by) : by);

/**
 * How it is to be done, as an object of the kind that belongs to what is done: a patch updates, or creates.
 * Unused so far: admission webhooks and policies are to pass it on.
 */
export function operationOptions({
  operation,
  context: { options },
}: Pick<Attributes, "operation" | "context">): object | undefined {
  if (operation === "CONNECT" || !options) return undefined;
  return { ...options, kind: optionKinds[operation], apiVersion: "meta.k8s.io/v1" };
}

const optionKinds = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
} as const;

/** Lets everything pass: for what the server does as a part of a request that was admitted. */
export const admitsAll: Admission = { admit: async () => {}, validate: async () => {} };
