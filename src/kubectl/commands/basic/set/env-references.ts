import type { Client } from "../../../../client/client.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { isQualifiedName } from "../../../../schema/values/names.ts";
import {
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from "../../../../schema/values/quantity.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import { helper } from "../../../resource/helper.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import type { Container } from "./pod-spec.ts";

/** What the value of a variable refers to. */
type Reference = ReadonlyJsonMap;

/** A reference as it is listed: `configmap settings, key a`. */
export function referenceText(from: Reference): string {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = members(from);
  if (configMapKeyRef)
    return `configmap ${text(configMapKeyRef.name)}, key ${text(configMapKeyRef.key)}`;
  if (secretKeyRef) return `secret ${text(secretKeyRef.name)}, key ${text(secretKeyRef.key)}`;
  if (fieldRef) return `field path ${text(fieldRef.fieldPath)}`;
  if (!resourceFieldRef) return "invalid valueFrom";
  const container = text(resourceFieldRef.containerName);
  return `resource field ${container === "" ? "" : `${container}/`}${text(resourceFieldRef.resource)}`;
}

/** Where references are looked up. */
export interface ReferenceContext {
  readonly client: Client;
  readonly namespace: string;
  readonly object: DynamicObject;
  readonly container: Container;
  /** Config maps and secrets that were requested already, by their paths. */
  readonly known: Map<string, DynamicObject>;
  readonly signal: AbortSignal;
}

/** The value that a reference leads to. */
export async function referencedValue(from: Reference, context: ReferenceContext): Promise<string> {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = members(from);
  if (secretKeyRef) {
    const value = await keyOf("secret", secretKeyRef, context);
    return Buffer.from(value, "base64").toString("utf8");
  }
  if (configMapKeyRef) return keyOf("configMap", configMapKeyRef, context);
  if (fieldRef) return fieldText(context.object, text(fieldRef.fieldPath));
  if (resourceFieldRef) return resourceText(resourceFieldRef, context.container);
  throw new Error("invalid valueFrom");
}

function members(from: Reference): Readonly<Record<string, ReadonlyJsonMap | undefined>> {
  return Object.fromEntries(
    Object.entries(from).map(([name, value]) => [name, isMap(value) ? value : undefined]),
  );
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

async function keyOf(
  type: "secret" | "configMap",
  { name, key }: ReadonlyJsonMap,
  { client, namespace, known, signal }: ReferenceContext,
): Promise<string> {
  const id = `${type}/${text(name)}`;
  const object =
    known.get(id) ??
    (await helper(client, knownKinds[type], { signal }).get({ namespace, name: text(name) }));
  known.set(id, object);
  const value = isMap(object.data) ? object.data[text(key)] : undefined;
  if (typeof value === "string") return value;
  const what = type === "secret" ? "secret" : "config map";
  throw new Error(`key ${text(key)} not found in ${what} ${text(name)}`);
}

function fieldText({ metadata }: DynamicObject, path: string): string {
  const { name = "", namespace = "", uid = "", labels = {}, annotations = {} } = metadata;
  const [, map, key] = /^(.+?)\['(.*)'\]$/s.exec(path) ?? [];
  if (map !== undefined && key !== undefined) {
    const checked = (checkedName: string): void => {
      const faults = isQualifiedName(checkedName);
      if (faults.length > 0)
        throw new Error(`invalid key subscript in ${path}: ${faults.join(";")}`);
    };
    if (map === "metadata.annotations") {
      checked(key.toLowerCase());
      return annotations[key] ?? "";
    }
    if (map !== "metadata.labels")
      throw new Error(`fieldPath ${quote(path)} does not support subscript`);
    checked(key);
    return labels[key] ?? "";
  }
  const values: Readonly<Record<string, string>> = {
    "metadata.annotations": mapText(annotations),
    "metadata.labels": mapText(labels),
    "metadata.name": name,
    "metadata.namespace": namespace,
    "metadata.uid": uid,
  };
  const value = values[path];
  if (value === undefined) throw new Error(`unsupported fieldPath: ${path}`);
  return value;
}

const mapText = (map: Readonly<Record<string, string>>): string =>
  sortedKeys(map)
    .map((key) => `${key}=${quote(map[key] ?? "")}`)
    .join("\n");

/** A limit or request of the container, in units of the divisor, rounded up. */
function resourceText(reference: ReadonlyJsonMap, { resources }: Container): string {
  const name = text(reference.resource);
  const [, list, resource = ""] =
    /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.*)$/.exec(name) ?? [];
  if (list === undefined) throw new Error(`Unsupported container resource : ${name}`);
  const amount = resources?.[list as "limits" | "requests"]?.[resource] ?? "0";
  const divisor = text(reference.divisor);
  const unit = divisor === "" || divisor === "0" ? "1" : divisor;
  // CPU is counted in thousandths, all else in whole units.
  const read = resource === "cpu" ? quantityMilliValue : quantityValue;
  const scaled = (quantity: string): number => read(parseQuantity(quantity));
  return String(Math.ceil(scaled(amount) / scaled(unit)));
}
