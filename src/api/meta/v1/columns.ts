import type { Column } from "../../../schema/language/kind.ts";
import { humanDuration, parseTime } from "../../../schema/values/time.ts";
import type { ObjectMeta } from "./object-meta.ts";

/** What has a name and an age. */
export interface WithMetadata {
  readonly metadata: ObjectMeta;
}

export const nameColumn: Column<WithMetadata> = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  cell: ({ metadata }) => metadata.name ?? "",
};

export const ageColumn: Column<WithMetadata> = {
  name: "Age",
  type: "string",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  cell: ({ metadata }, { now }) => since(metadata.creationTimestamp, now),
};

/** The time from then to now as kubectl shows it; `<unknown>` without a time. */
export function since(then: string | undefined, now: number): string {
  if (!then) return "<unknown>";
  const { seconds, nanos } = parseTime(then);
  return humanDuration(now - seconds * 1000 - nanos / 1e6);
}
