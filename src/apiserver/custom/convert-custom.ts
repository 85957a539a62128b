import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { SchemaResource } from "../../schema/structural/schema-form.ts";

/**
 * Converts objects between versions where no webhook does: only apiVersion changes. What a webhook converts has been
 * converted before it is read.
 */
export function convertCustom({
  group,
  versions,
  byWebhook,
}: {
  readonly group: string;
  readonly versions: readonly string[];
  readonly byWebhook: boolean;
}): SchemaResource["convert"] {
  const known = new Set(versions.map((version) => `${group}/${version}`));
  return (object, version) => {
    const from = object.apiVersion as string;
    if (from === version) return;
    if (!known.has(from)) throw new StatusError("", `${fromInvalid}: ${from}`);
    if (byWebhook) throw new Error(`an object of ${from} was not converted to ${version}`);
    object.apiVersion = version;
  };
}

const fromInvalid = "request to convert CR from an invalid group/version";
