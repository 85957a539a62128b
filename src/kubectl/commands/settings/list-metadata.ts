import { parseApiVersion } from "../../../client/discovery/server-apis.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import type { Io } from "../../program/io.ts";
import type { Info } from "../../resource/info.ts";
import type { Labels } from "./label-changes.ts";

/** Prints labels or annotations; with a heading where there are several objects. */
export function listMetadata(
  { object, name }: Info,
  {
    io,
    isSingle,
    members,
    things,
  }: {
    readonly io: Io;
    readonly isSingle: boolean;
    readonly members: Labels;
    readonly things: "labels" | "annotations";
  },
): void {
  if (!isSingle && object) {
    const { group } = parseApiVersion(object.apiVersion);
    io.stdout.write(`Listing ${things} for ${object.kind}.${group}/${name}:\n`);
  }
  for (const [key, value] of Object.entries(members))
    io.stdout.write(`${isSingle ? "" : " "}${key}=${value}\n`);
}

/** The object with the version that a flag gives, if it gives one; by default that version itself. */
export function withResourceVersion(
  object: DynamicObject,
  flag: string,
  resourceVersion = flag,
): DynamicObject {
  if (flag === "") return object;
  const { resourceVersion: _, ...rest } = object.metadata;
  const metadata = resourceVersion === "" ? rest : { ...rest, resourceVersion };
  return { ...object, metadata };
}
