import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EnvFromSource, EnvVar } from "../../../api/core/v1/container/env.ts";
import type { ObjectMeta } from "../../../api/meta/v1/object-meta.ts";
import {
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityValue,
} from "../../../schema/values/quantity.ts";
import type { Description } from "../description.ts";
import { amountOf } from "../quantities.ts";

type Described = Pick<Container, "env" | "envFrom"> & Partial<Pick<Container, "resources">>;

/** The variables that a container gets; metadata of a pod is filled in where there is a pod. */
export function environmentLines(
  d: Description,
  container: Described,
  pod: ObjectMeta | undefined,
): void {
  const { env = [], envFrom = [] } = container;
  if (envFrom.length > 0) d.line("Environment Variables from:", 2);
  for (const source of envFrom) sourceLine(d, source);
  d.line(`Environment:${env.length === 0 ? "\t<none>" : ""}`, 2);
  for (const variable of env) variableLines(d, variable, { container, pod });
}

function sourceLine(d: Description, { prefix, configMapRef, secretRef }: EnvFromSource): void {
  const kind = configMapRef ? "ConfigMap" : secretRef ? "Secret" : "";
  const { name = "", optional } = configMapRef ?? secretRef ?? {};
  const from = prefix ? `${kind} with prefix '${prefix}'` : kind;
  d.row([name, from, `Optional: ${optional ?? false}`], 3);
}

interface Surroundings {
  readonly container: Described;
  readonly pod: ObjectMeta | undefined;
}

function variableLines(
  d: Description,
  { name = "", value = "", valueFrom }: EnvVar,
  { container, pod }: Surroundings,
): void {
  if (!valueFrom) {
    const [first = "", ...more] = value.split("\n");
    d.field(name, first, 3);
    for (const line of more) d.line(`\t${line}`, 3);
    return;
  }
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  if (fieldRef) {
    const { apiVersion, fieldPath = "" } = fieldRef;
    d.field(name, `${fieldValue(pod, fieldPath)} (${apiVersion}:${fieldPath})`, 3);
  } else if (resourceFieldRef) {
    const { resource = "", divisor } = resourceFieldRef;
    d.field(name, `${resourceValue(container, resource, divisor)} (${resource})`, 3);
  } else if (secretKeyRef) {
    const { key, name: secret = "", optional = false } = secretKeyRef;
    d.row(
      [`${name}:`, `<set to the key '${key}' in secret '${secret}'>`, `Optional: ${optional}`],
      3,
    );
  } else if (configMapKeyRef) {
    const { key, name: map = "", optional = false } = configMapKeyRef;
    d.row(
      [`${name}:`, `<set to the key '${key}' of config map '${map}'>`, `Optional: ${optional}`],
      3,
    );
  }
}

/** Of the fields of a pod, clients fill in name and namespace. */
function fieldValue(pod: ObjectMeta | undefined, path: string): string {
  if (path === "metadata.name") return pod?.name ?? "";
  return path === "metadata.namespace" ? (pod?.namespace ?? "") : "";
}

/** A limit or request of the container, in units of the divisor. */
function resourceValue(
  container: Described,
  resource: string,
  divisor: string | undefined,
): string {
  const { side, name } = /^(?<side>limits|requests)\.(?<name>.*)$/s.exec(resource)?.groups ?? {};
  if (side === undefined || name === undefined || !isMeasured(name)) return "";
  const amounts = container.resources?.[side as "limits" | "requests"];
  const read = name === "cpu" ? quantityMilliValue : quantityValue;
  const unit = divisor === undefined || isZero(divisor) ? "1" : divisor;
  const amount = read(quantityOf(amountOf(amounts, name)));
  const value = Math.ceil(amount / read(parseQuantity(unit)));
  const isLimit = side === "limits" && (name === "cpu" || name === "memory");
  return value === 0 && isLimit ? "node allocatable" : String(value);
}

const isMeasured = (name: string): boolean =>
  ["cpu", "memory", "ephemeral-storage"].includes(name) || name.startsWith("hugepages-");

const quantityOf = (amount: string | number | undefined): Quantity =>
  parseQuantity(`${amount ?? 0}`);

const isZero = (amount: string): boolean => quantityMilliValue(parseQuantity(amount)) === 0;
