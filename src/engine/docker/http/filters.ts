import { badRequest } from "./docker-error.ts";
import { isObject } from "./json-value.ts";

/** The values of each filter of a list request. */
export type Filters = ReadonlyMap<string, readonly string[]>;

/** Parses the `filters` of a query: lists of values, or the sets that clients before 1.22 send. */
export function parseFilters(text: string | null, allowed: readonly string[]): Filters {
  const filters = new Map<string, readonly string[]>();
  if (text === null || text === "") return filters;
  for (const [name, value] of Object.entries(parse(text))) {
    if (!allowed.includes(name)) throw badRequest(`invalid filter '${name}'`);
    const values = Array.isArray(value) ? value : isObject(value) ? Object.keys(value) : undefined;
    if (values?.every((one) => typeof one === "string") !== true)
      throw badRequest("invalid filter");
    filters.set(name, values);
  }
  return filters;
}

/** Whether a filter is absent, or one of its values passes. */
export function passes(
  filters: Filters,
  name: string,
  matches: (value: string) => boolean,
): boolean {
  const values = filters.get(name);
  return values === undefined || values.length === 0 || values.some(matches);
}

/** Whether labels have all the wanted ones: `name` or `name=value` each. */
export function passesLabels(
  filters: Filters,
  labels: Readonly<Record<string, string>>,
  name = "label",
): boolean {
  return (filters.get(name) ?? []).every((wanted) => hasLabel(labels, wanted));
}

export function hasLabel(labels: Readonly<Record<string, string>>, wanted: string): boolean {
  const at = wanted.indexOf("=");
  const key = at < 0 ? wanted : wanted.slice(0, at);
  if (!Object.hasOwn(labels, key)) return false;
  return at < 0 || labels[key] === wanted.slice(at + 1);
}

/** The value of a filter that is true or false; undefined if it is absent. */
export function booleanFilter(filters: Filters, name: string): boolean | undefined {
  const values = filters.get(name);
  if (values === undefined || values.length === 0) return undefined;
  const [value = ""] = values;
  if (values.length > 1 || !["1", "true", "0", "false"].includes(value))
    throw badRequest(`invalid filter '${name}=[${values.join(" ")}]'`);
  return value === "1" || value === "true";
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {}
  throw badRequest("invalid filter");
}
