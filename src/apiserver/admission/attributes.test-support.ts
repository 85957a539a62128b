import { type Authorizer, noRules } from "../authorization/authorizer.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ObjectDraft } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { addressOf, context, coreKind, resources } from "../verbs/verb-parts.test-support.ts";
import {
  type AdmissionPlugin,
  type Attributes,
  admissionChain,
  type Operation,
} from "./admission.ts";

/** The attributes of a request in tests of plugins. */
export interface TestAttributes {
  readonly kind?: string;
  readonly operation?: Operation;
  readonly spec?: object;
  readonly metadata?: object;
  /** The fields of the object beside spec and metadata. */
  readonly more?: object;
  readonly old?: object;
  readonly address?: Partial<Address>;
  readonly subresource?: string;
  readonly context?: RequestContext;
}

/** A request on an object called `a`, as plugins see it. */
export function attributes({
  kind = "Pod",
  operation = "CREATE",
  spec,
  ...rest
}: TestAttributes): Attributes<ObjectDraft> {
  const { metadata, old, address } = rest;
  return {
    operation,
    address: { ...addressOf(coreKind(kind), "a"), ...address },
    subresource: rest.subresource ?? "",
    object: {
      kind,
      apiVersion: "v1",
      metadata: { name: "a", ...metadata },
      spec: { ...spec },
      ...rest.more,
    } as ObjectDraft,
    old: old as never,
    context: rest.context ?? context(),
  };
}

/** The object's spec after a plugin, or the reason of its rejection. */
export async function admitted(plugin: AdmissionPlugin, given: TestAttributes): Promise<unknown> {
  const request = attributes(given);
  try {
    await admissionChain([plugin]).admit(request);
    return request.object.spec;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The reason why a plugin rejects an object; undefined if it does not. */
export async function rejectionBy(
  plugin: AdmissionPlugin,
  given: TestAttributes,
): Promise<unknown> {
  try {
    await admissionChain([plugin]).validate(attributes(given) as never);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A kind of any group, by its plural. */
export function kindAt(group: string, plural: string): AnyKind {
  const kind = resources.find(group, "v1", plural);
  if (!kind) throw new Error(`there are no ${plural}`);
  return kind;
}

/** A user with the rights that are listed as `verb resource name`. */
export const allowing = (...allowed: readonly string[]): Authorizer => ({
  authorize({ verb, group, resource, subresource, name }) {
    const what = [resource, ...(subresource === "" ? [] : [subresource])].join("/");
    const full = group === "" ? what : `${group}/${what}`;
    const isAllowed = allowed.includes(`${verb} ${full} ${name}`);
    return { verdict: isAllowed ? "allow" : "no opinion", reason: "" };
  },
  rulesFor: () => noRules,
});
