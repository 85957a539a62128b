import type { At } from "../../../schema/language/report.ts";
import { isQualifiedName } from "../../../schema/values/names.ts";

const maxParameters = 512;
const maxParameterBytes = 256 * 1024;

/** The name of who makes volumes: a qualified name in any case. */
export function validateProvisioner(name: string, at: At): void {
  if (!name) {
    at.required();
    return;
  }
  const lower = name.toLowerCase();
  at.invalidEach("", lower, isQualifiedName(lower));
}

/** What is handed to a provisioner: not too many parameters, each with a name, not too large. */
export function validateParameters(
  parameters: Readonly<Record<string, string>> | undefined,
  at: At,
): void {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > maxParameters) {
    at.tooLong("", maxParameters);
    return;
  }
  for (const [key] of entries) if (key === "") at.invalid("", key, "field can not be empty.");
  if (mapSize(parameters) > maxParameterBytes) at.tooLong("", maxParameterBytes);
}

const encoder = new TextEncoder();

/** The bytes of the keys and values of a map. */
export const mapSize = (map: Readonly<Record<string, string>> | undefined): number =>
  Object.entries(map ?? {}).reduce(
    (size, [key, value]) => size + encoder.encode(key).length + encoder.encode(value).length,
    0,
  );
