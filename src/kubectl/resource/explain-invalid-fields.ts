import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { CommandContext } from "../program/kubectl-command.ts";
import type { Info } from "./info.ts";
import { fieldPlace, type PathPart, parseBarePath, parsePath } from "./manifest-place.ts";

/** Adds to the original's message where in its file an object has the fields that a server rejects. */
export function explainInvalidFields(
  error: Error,
  { source, place, kind }: Pick<Info, "source" | "place" | "kind">,
  { io }: Pick<CommandContext, "io">,
): void {
  if (!place || !(error instanceof StatusError)) return;
  // The options of a request can be invalid, too.
  if (error.details?.kind && error.details.kind !== kind?.kind) return;
  for (const [name, path] of rejectedFields(error)) {
    const found = fieldPlace(place, path);
    if (!found) continue;
    const { line, column, isThere } = found;
    const verb = isThere ? "is at" : "is missing after";
    io.stderr.write(`${source}: ${name} ${verb} line ${line}, column ${column}\n`);
  }
}

/** The fields that an error names, each once, with their paths. */
export function rejectedFields({
  message,
  details,
}: Pick<StatusError, "message" | "details">): ReadonlyMap<string, readonly PathPart[]> {
  const fields = new Map<string, readonly PathPart[]>();
  for (const { field } of details?.causes ?? [])
    if (field) fields.set(field.replace(/^\./, ""), parsePath(field));
  if (fields.size > 0) return fields;
  for (const [, field = ""] of message.matchAll(/(?:unknown|duplicate) field "([^"]+)"/g))
    fields.set(field, parsePath(field));
  for (const [, field = ""] of message.matchAll(/into Go struct field \w*\.(\S+) of type/g))
    fields.set(field, parseBarePath(field));
  for (const [, field = ""] of message.matchAll(typed)) fields.set(field, parsePath(field));
  return fields;
}

/** A field that does not fit its type, as server-side apply words it: `.spec.replicas: expected numeric`. */
const typed =
  /(?:^|[\s(])\.((?:[^\s:"[]|\[(?:"[^"]*"|[^\]"])*\])+): (?:expected|field not declared)/g;
