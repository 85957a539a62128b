import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { DiscoveredKind } from "../../../client/discovery/rest-mapper.ts";
import { quote } from "../../../schema/values/quote.ts";
import { resourceName } from "../../resource/info.ts";

/** The error of an object that has disappeared, as the server words it. */
export function missingObject(
  kind: Pick<DiscoveredKind, "group" | "plural">,
  name: string,
): StatusError {
  const { group, plural } = kind;
  return new StatusError("NotFound", `${resourceName(kind)} ${quote(name)} not found`, {
    details: { name, group, kind: plural },
    code: 404,
  });
}
