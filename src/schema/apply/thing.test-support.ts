import type { ReadonlyJsonMap as JsonMap } from "../json/json-value.ts";
import {
  int32,
  list,
  mapOf,
  message,
  raw,
  string,
  stringMap,
  strings,
  value,
} from "../language/field.ts";
import { type Shape, shapeOf } from "../language/shape.ts";
import { struct } from "../language/struct.ts";
import { stringType } from "../language/type.ts";
import type { Writer } from "./field-manager.ts";
import type { ManagedFieldsEntry } from "./managers.ts";

const Port = struct("test.v1.Port", {
  port: int32(1).always(),
  protocol: string(2),
  name: string(3),
  labels: stringMap(4),
});
const Reference = struct("test.v1.Reference", { name: string(1), key: string(2) }).atomic();
const Spec = struct("test.v1.ThingSpec", {
  size: int32(1),
  note: string(2),
  args: strings(3),
  groups: strings(4).set(),
  ports: list(5, Port).mapKeys("port", "protocol"),
  whole: mapOf(6, stringType).atomic(),
  labels: stringMap(7),
  reference: message(8, Reference),
  free: raw(9),
});
const Meta = struct("test.v1.Meta", {
  name: string(1),
  uid: string(2),
  labels: stringMap(3),
  annotations: stringMap(4),
  managedFields: list(5, struct("test.v1.Entry", { manager: string(1) })),
});
const Thing = struct("test.v1.Thing", {
  kind: string(0),
  apiVersion: string(0),
  metadata: value(1, Meta),
  spec: value(2, Spec),
  status: message(3, struct("test.v1.Status", { ready: int32(1) })),
});

/** A shape with every way in which values merge. */
export const thing: Shape = shapeOf(Thing);

export const thingOf = (spec: JsonMap, metadata: JsonMap = {}): JsonMap => ({
  kind: "Thing",
  apiVersion: "test/v1",
  metadata: { name: "a", ...metadata },
  spec,
});

/** A writer of things, of which there is one version. */
export const writer = (manager: string, more: Partial<Writer> = {}): Writer => ({
  versions: {
    shapeOf: (version) => (version === "test/v1" ? thing : undefined),
    convert: (object) => object,
  },
  version: "test/v1",
  filterOf: () => undefined,
  manager,
  subresource: "",
  now: "2026-01-01T00:00:00Z",
  nothing: { kind: "Thing", apiVersion: "test/v1", metadata: {}, spec: {} },
  ...more,
});

/** Who owns what of an object: the fields of each manager. */
export function ownersOf(object: JsonMap): Record<string, unknown> {
  const { managedFields = [] } = object.metadata as {
    readonly managedFields?: readonly ManagedFieldsEntry[];
  };
  return Object.fromEntries(managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
}
