import { invalid } from "../../api/meta/v1/status-error.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { At, type FieldError } from "../../schema/language/report.ts";
import { copyDefined } from "../language/copy-defined.ts";
import type { CustomKind } from "../language/kind-definition.ts";
import { type ServedCustomKind, servedKind } from "./served-kind.ts";

export interface CheckOptions<O> {
  /** The object as it is, for an update: rules may compare, and what was invalid before may stay so. */
  readonly old?: O | undefined;
  /** Checks an update of the status alone; needs `old`. */
  readonly subresource?: "status" | undefined;
}

/** Returns a copy of an object with its apiVersion and kind, and with all defaults, as a server fills them in. */
export function withDefaults<O, I>(kind: CustomKind<O, I>, object: NoInfer<I>): O {
  return completed(kind as CustomKind, object) as O;
}

/**
 * Returns what a server rejects of an object, with its words; nothing if it accepts the object. Members
 * that the schema does not have are errors, too: a server removes them.
 */
export function validate<O, I>(
  kind: CustomKind<O, I>,
  object: NoInfer<I>,
  { old, subresource }: CheckOptions<NoInfer<O>> = {},
): readonly FieldError[] {
  const served = servedKind(kind as CustomKind);
  const given = completed(kind as CustomKind, object);
  const { value, strict } = served.form.decodeValue(given, () => JSON.stringify(given));
  const at = At.root();
  for (const text of strict) at.forbidden(unknownPath(text), "the schema has no such member");
  const draft = value as Parameters<ServedCustomKind["validateCreate"]>[0];
  if (old === undefined) served.validateCreate(draft, at);
  else if (subresource === "status") served.validateStatusUpdate(draft, old as never, at);
  else served.validateUpdate(draft, old as never, at);
  return at.errors;
}

/** Returns the object with its defaults; throws the `StatusError` (`Invalid`) with which a server rejects it. */
export function checked<O, I>(
  kind: CustomKind<O, I>,
  object: NoInfer<I>,
  options: CheckOptions<NoInfer<O>> = {},
): O {
  const errors = validate(kind, object, options);
  if (errors.length === 0) return withDefaults(kind, object);
  const { metadata } = object as { readonly metadata?: { readonly name?: string } };
  const what = { group: kind.group, resource: kind.kind, name: metadata?.name ?? "" };
  throw invalid(what, errors);
}

function completed(kind: CustomKind, object: unknown): object {
  const given = copyDefined(object) as { metadata?: object };
  // A client sends requests for objects that name no namespace to its own.
  const place = kind.scope === "Namespaced" ? { namespace: "default" } : {};
  const draft = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...given,
    metadata: { ...place, ...given.metadata },
  };
  servedKind(kind).form.complete(draft);
  return draft;
}

/** The path in `unknown field "spec.sise"`. */
const unknownPath = (text: string): string => JSON.parse(text.slice(text.indexOf('"'))) as string;
