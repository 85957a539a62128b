import { applyDefaults } from "../../schema/language/defaults.ts";
import { apiVersionOf, type Kind } from "../../schema/language/kind.ts";
import { keepingEmpty } from "../../schema/language/normalise.ts";
import { At } from "../../schema/language/report.ts";

export const now = "2026-01-02T03:04:05Z";

/** An object of a kind as a client may write it, with its defaults. */
export function written<O>(kind: Kind<O>, body: object): O {
  const { apiVersion, metadata } = {
    apiVersion: apiVersionOf(kind),
    metadata: {
      name: "a",
      resourceVersion: "1",
      ...(kind.scope === "Namespaced" ? { namespace: "n" } : {}),
    },
  };
  const whole = { apiVersion, kind: kind.kind, metadata, ...body };
  const draft = structuredClone(keepingEmpty(kind.struct, whole));
  applyDefaults(kind.struct, draft);
  return draft as O;
}

/** What is stored when a client creates an object, and what is wrong with it. */
export function created<O>(
  kind: Kind<O>,
  body: object,
): { readonly object: O; readonly errors: readonly string[] } {
  const object = written(kind, body);
  kind.strategy.prepareCreate?.(object as never, write);
  return { object, errors: errorsOf((at) => kind.validateCreate(object, at)) };
}

/** What becomes of an update of an object, or of its status. */
export function updated<O>(
  kind: Kind<O>,
  old: O,
  { body, subresource = "" }: { readonly body: object; readonly subresource?: "status" | "" },
): { readonly object: O; readonly errors: readonly string[] } {
  const object = written(kind, { metadata: (old as { metadata: object }).metadata, ...body });
  const { strategy } = kind;
  if (subresource === "") strategy.prepareUpdate?.(object as never, old as never, write);
  else strategy.prepareStatusUpdate?.(object as never, old as never, write);
  const check = subresource === "" ? kind.validateUpdate : kind.validateStatusUpdate;
  return { object, errors: errorsOf((at) => check(object, old, at)) };
}

const write = { now, user: { name: "someone", groups: [] } };

function errorsOf(check: (at: At) => void): readonly string[] {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}
