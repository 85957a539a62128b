import type { Address } from "../objects/address.ts";
import type { CommitPart } from "../objects/commit-part.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";

/** The object of a CONNECT is the options that the connection is opened with. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The attributes of a request for admission plugins; the caller and the options are in its context. */
export interface Attributes<O = ApiObject> {
  readonly operation: Operation;
  /** Of the resource; the name is empty until one is generated, and when a whole collection is deleted. */
  readonly address: Address;
  /** The subresource that is written; empty for the object itself. */
  readonly subresource: string;
  /** The kind of the object if the subresource has its own: a Scale, an Eviction, options of a connection. */
  readonly objectKind?: AnyKind;
  /** The object that is written, the options of a connection, or the current object of a deletion. */
  readonly object: O;
  readonly old: ApiObject | undefined;
  readonly context: RequestContext;
}

/**
 * The mutating admission of one request. It runs a second time if a plugin that others do not know of, such as a
 * webhook, changed the object.
 */
export interface AdmissionRun {
  readonly isSecond: boolean;
  /** Set by the plugin that changed the object. */
  isNeededAgain: boolean;
}

/** Changes objects before they are written, and rejects them by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** The operations that it is called for. */
  readonly operations: readonly Operation[];
  /** The resources that it is called for: `GROUP/PLURAL`, `GROUP/PLURAL/SUBRESOURCE`. All if not given. */
  readonly resources?: readonly string[];
  /** `run` is the same object in both runs. */
  admit?(attributes: Attributes<ObjectDraft>, run: AdmissionRun): void | Promise<void>;
  validate?(attributes: Attributes): void | Promise<void>;
  /** The changes that are stored together with an admitted write; they may still reject the write. */
  charge?(attributes: Attributes): CommitPart | undefined;
}

/** All plugins, one after the other. */
export interface Admission {
  admit(attributes: Attributes<ObjectDraft>): Promise<void>;
  validate(attributes: Attributes): Promise<void>;
  /** The changes that plugins store together with a write; none if not given. */
  charges?(attributes: Attributes): readonly CommitPart[];
}

/** A chain: every plugin may change the object before any may reject it. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  const pluginsFor = pluginSelector(plugins);
  const admitOnce = async (
    attributes: Attributes<ObjectDraft>,
    run: AdmissionRun,
  ): Promise<void> => {
    for (const plugin of pluginsFor(attributes)) {
      const waiting = plugin.admit?.(attributes, run);
      if (waiting) await waiting;
    }
  };
  return {
    async admit(attributes) {
      const run = { isSecond: false, isNeededAgain: false };
      await admitOnce(attributes, run);
      if (!run.isNeededAgain) return;
      run.isSecond = true;
      await admitOnce(attributes, run);
    },
    async validate(attributes) {
      for (const plugin of pluginsFor(attributes)) {
        const waiting = plugin.validate?.(attributes);
        if (waiting) await waiting;
      }
    },
    charges: (attributes) =>
      pluginsFor(attributes).flatMap((plugin) => plugin.charge?.(attributes) ?? []),
  };
}

type Target = Pick<Attributes, "operation" | "address" | "subresource">;

/** The plugins that see a request, looked up once for all requests of a kind, operation and subresource. */
function pluginSelector(
  plugins: readonly AdmissionPlugin[],
): (target: Target) => readonly AdmissionPlugin[] {
  const known = new WeakMap<AnyKind, Map<string, readonly AdmissionPlugin[]>>();
  return ({ operation, address: { kind }, subresource }) => {
    let ofKind = known.get(kind);
    if (!ofKind) {
      ofKind = new Map();
      known.set(kind, ofKind);
    }
    const place = subresource === "" ? operation : `${operation} ${subresource}`;
    let selected = ofKind.get(place);
    if (!selected) {
      const resource = [kind.group, kind.plural, subresource].join("/").replace(/\/$/, "");
      selected = plugins.filter(
        ({ operations, resources }) =>
          operations.includes(operation) && (resources?.includes(resource) ?? true),
      );
      ofKind.set(place, selected);
    }
    return selected;
  };
}

/** The options of a request as an object of the kind that belongs to its operation. */
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

/** Admits everything: for the server's own writes, and for steps of a request that was admitted. */
export const admitsAll: Admission = { admit: async () => {}, validate: async () => {} };
