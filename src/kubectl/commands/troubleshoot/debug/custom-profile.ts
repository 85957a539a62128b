import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { applyStrategicMergePatch } from "../../../../schema/strategic-merge/apply-strategic-merge-patch.ts";
import { yamlToJson } from "../../../../schema/yaml/yaml.ts";
import { builtInShape } from "../../../resource/built-in-shape.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import type { DebugContainer } from "./debug-pod.ts";

/** A part of a container, which changes the one that a profile has made. */
export type CustomProfile = ReadonlyJsonMap;

/** Reads the file of a custom profile, JSON or YAML; undefined if it is empty. */
export async function readCustomProfile(
  file: string,
  cwd: string,
): Promise<CustomProfile | undefined> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const why = openFaults[code]?.(file) ?? message;
    throw new Error(`must pass a container spec json file for custom profile: ${why}`, {
      cause: error,
    });
  }
  return parsed(text, file);
}

const openFaults: Readonly<Record<string, (file: string) => string>> = {
  ENOENT: (file) => `open ${file}: no such file or directory`,
  EACCES: (file) => `open ${file}: permission denied`,
  EISDIR: (file) => `read ${file}: is a directory`,
};

function parsed(text: string, file: string): CustomProfile | undefined {
  const invalid = (why: string, cause?: unknown): Error =>
    new Error(`${file} does not contain a valid container spec: ${why}`, { cause });
  let value: unknown;
  try {
    value = yamlToJson(text);
  } catch (error) {
    const why = (error as Error).message;
    throw invalid(`error converting YAML to JSON: ${why}`, error);
  }
  if (value === null || value === undefined) return undefined;
  if (isMap(value)) return value;
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  throw invalid(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type v1.Container`,
  );
}

/** Throws for what a custom profile must not change. */
export function checkCustomProfile(profile: CustomProfile): void {
  const isSet = (value: unknown): boolean =>
    value !== undefined &&
    value !== null &&
    value !== "" &&
    !(Array.isArray(value) && value.length === 0);
  const { name, command, image, lifecycle, volumeDevices } = profile;
  if ([name, command, image, lifecycle, volumeDevices].some(isSet))
    throw new Error(
      "name, command, image, lifecycle and volume devices are not modifiable via custom profile",
    );
}

/** The container with the changes of a custom profile. */
export async function withCustomProfile(
  container: DebugContainer,
  profile: CustomProfile,
): Promise<DebugContainer> {
  const shape = await builtInShape(knownKinds.pod);
  if (!shape) throw new Error("the declaration of pods is missing");
  // Within a pod, since containers have no declaration that is known by a name.
  const inPod = (one: object) => ({ spec: { containers: [one] } }) as unknown as ReadonlyJsonMap;
  const changed = applyStrategicMergePatch(
    shape,
    inPod(container),
    inPod({ ...profile, name: container.name }),
  ) as unknown as { readonly spec: { readonly containers: readonly DebugContainer[] } };
  const [only = container] = changed.spec.containers;
  return withoutEmpty(structuredClone(only));
}

/** The container without members that are empty, which Go leaves out. */
function withoutEmpty(container: DebugContainer): DebugContainer {
  const isEmpty = (value: unknown): boolean =>
    value === null ||
    value === false ||
    value === "" ||
    (Array.isArray(value) && value.length === 0);
  const members = Object.entries(container).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(members) as unknown as DebugContainer;
}
