import { badRequest, notFound, pathNotFound, StatusError } from "../../api/meta/v1/status-error.ts";
import { resourceOf } from "../../schema/language/kind.ts";
import type { AnyKind } from "../objects/object.ts";
import type { ResourcePath } from "../request/request-info.ts";

/**
 * Throws where a path does not fit a custom kind, or the verb is not supported. Upstream has no router before
 * custom kinds: extra segments of a path are ignored, so a POST to the path of an object creates one. What a version
 * that is deprecated does not have is warned of, too.
 */
export function checkCustomRequest(
  kind: AnyKind,
  path: ResourcePath,
  { verb, warnings }: { readonly verb: string; readonly warnings: string[] },
): void {
  const { namespace, name, subresource } = path;
  if (kind.scope === "Cluster" ? namespace !== "" : namespace === "" && !acrossAll.has(verb))
    throw pathNotFound();
  if (kind.deprecated) warnings.push(kind.deprecated);
  if (subresource !== "" && !kind.subresources.includes(subresource))
    throw notFound({ group: kind.group, resource: kind.plural, name });
  if (!(subresource === "" ? verbs : subresourceVerbs).has(verb)) throw notSupported(kind, verb);
  // Of stored kinds, the strategy rejects what is not possible for now.
  if (!kind.isStored && !(kind.verbs as readonly string[]).includes(verb))
    throw notSupported(kind, verb);
  if (name === "" && (verb === "update" || verb === "patch"))
    throw badRequest("name must be provided");
}

/** The verbs that work across all namespaces. */
const acrossAll = new Set(["list", "watch"]);
const subresourceVerbs = new Set(["get", "update", "patch"]);
const verbs = new Set([...subresourceVerbs, ...acrossAll, "create", "delete", "deletecollection"]);

const notSupported = (kind: AnyKind, verb: string): StatusError =>
  new StatusError(
    "MethodNotAllowed",
    `${verb} is not supported on resources of kind ${JSON.stringify(resourceOf(kind))}`,
    { details: { group: kind.group, kind: kind.plural } },
  );
