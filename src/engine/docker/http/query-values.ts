import { badRequest } from "./docker-error.ts";

/** A flag of a query, as docker reads it: anything but these words is true. */
export function queryFlag(query: URLSearchParams, name: string, absent = false): boolean {
  const value = query.get(name);
  if (value === null) return absent;
  return !["", "0", "no", "false", "none"].includes(value.trim().toLowerCase());
}

/** An integer of a query; undefined if it is absent. */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === "") return undefined;
  if (/^-?[0-9]+$/.test(value)) return Number(value);
  throw badRequest(`strconv.Atoi: parsing "${value}": invalid syntax`);
}

/** A time of a query in milliseconds: seconds since the epoch with a fraction. */
export function queryTime(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === "" || value === "0") return undefined;
  const seconds = /^-?[0-9]+(?:\.[0-9]+)?$/.test(value) ? Number(value) : Date.parse(value) / 1000;
  if (!Number.isFinite(seconds)) throw badRequest(`invalid value for "${name}": ${value}`);
  return seconds * 1000;
}
