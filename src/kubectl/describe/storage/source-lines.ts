import { goString } from "../../../schema/values/go-print.ts";
import type { Description } from "../description.ts";

/** Writes the source of a volume. */
export type SourceWriter<S> = (d: Description, source: NonNullable<S>) => void;

/** Writes the one source that is given. */
export function chosenSource(
  d: Description,
  sources: Readonly<Record<string, unknown>>,
  writers: Readonly<Record<string, SourceWriter<never>>>,
): void {
  for (const [name, write] of Object.entries(writers)) {
    const source = sources[name];
    if (source !== undefined && source !== null) {
      write(d, source as never);
      return;
    }
  }
  d.line("<unknown>", 1);
}

type Value = string | number | boolean | null | undefined;

/** The type of a source, with a sentence about it, and its fields. */
export function sourceLines(
  d: Description,
  type: string,
  fields: readonly (readonly [name: string, value: Value])[],
): void {
  d.field("Type", type, 2);
  for (const [name, value] of fields) d.field(name, value ?? "", 2);
}

interface Reference {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** A reference to a secret of the same namespace, as Go prints it. */
export const localReferenceText = (reference: Reference | undefined): string =>
  reference ? `&LocalObjectReference{Name:${reference.name ?? ""},}` : "nil";

/** A reference to a secret of any namespace, as Go prints it. */
export const secretReferenceText = (reference: Reference | undefined): string =>
  reference
    ? `&SecretReference{Name:${reference.name ?? ""},Namespace:${reference.namespace ?? ""},}`
    : "nil";

/** A list or map as Go prints it. */
export const goListText = (list: readonly string[] | undefined): string => goString(list ?? []);
export const goMapText = (map: Readonly<Record<string, string>> | undefined): string =>
  goString(map ?? {});
