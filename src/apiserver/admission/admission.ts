import type { ApiObject, ObjectDraft } from "../object.ts";
import type { Address, RequestContext } from "../registry.ts";

/** A CONNECT is about the options that a connection is opened with: they are its object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What an admission plugin sees of a request. */
export interface Attributes<O = ApiObject> {
  readonly operation: Operation;
  readonly address: Address;
  /** Through which part of the object it is written; empty for all of it. */
  readonly subresource: string;
  readonly object: O;
  readonly old: ApiObject | undefined;
  readonly context: RequestContext;
}

/** Has a say in what is written: may change it first, and refuse it later, by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  admit?(attributes: Attributes<ObjectDraft>): void | Promise<void>;
  validate?(attributes: Attributes): void | Promise<void>;
}

/** All plugins, one after the other. */
export interface Admission {
  admit(attributes: Attributes<ObjectDraft>): Promise<void>;
  validate(attributes: Attributes): Promise<void>;
}

/** A chain: every plugin may change the object before any may refuse it. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  return {
    async admit(attributes) {
      for (const plugin of plugins) {
        const waiting = plugin.admit?.(attributes);
        if (waiting) await waiting;
      }
    },
    async validate(attributes) {
      for (const plugin of plugins) {
        const waiting = plugin.validate?.(attributes);
        if (waiting) await waiting;
      }
    },
  };
}
