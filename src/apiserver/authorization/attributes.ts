import {
  type FieldRequirement,
  parseFieldSelector,
  requiredFieldValue,
} from "../../schema/selectors/field-selector.ts";
import { parseLabelSelector } from "../../schema/selectors/label-selector.ts";
import type { LabelRequirement } from "../../schema/selectors/label-selector-requirement.ts";
import { pathSegmentName } from "../../schema/values/names.ts";
import type { User } from "../request/identity.ts";
import type { Query } from "../request/query.ts";
import {
  decodedPath,
  parsePath,
  type RequestTarget,
  type ResourcePath,
} from "../request/request-info.ts";

/** The caller and what it asks for: all that an authorizer may look at. */
export interface Attributes {
  readonly user: User;
  readonly verb: string;
  /** Whether the request is for a resource; if not, only the path counts. */
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector?: Selecting<FieldRequirement> | undefined;
  readonly labelSelector?: Selecting<LabelRequirement> | undefined;
}

/** A parsed selector of a request. */
export interface Selecting<R> {
  readonly requirements: readonly R[];
  /** Whether the selector could not be parsed completely. */
  readonly isPartial: boolean;
}

const noResource = {
  isResource: false,
  group: "",
  version: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
} as const;

/** The attributes of a request for a path that is not a resource's. */
export const pathAttributes = (user: User, verb: string, path: string): Attributes => ({
  user,
  verb,
  path,
  ...noResource,
});

/** The attributes of a request for a resource; what is not given is empty. */
export const resourceAttributes = (
  user: User,
  verb: string,
  resource: Partial<Omit<Attributes, "user" | "verb" | "isResource">>,
): Attributes => ({ user, verb, path: "", ...noResource, ...resource, isResource: true });

/** The attributes of an HTTP request. */
export function requestAttributes(
  { method, path }: { readonly method: string; readonly path: string },
  { user, target, query }: { readonly user: User; target: RequestTarget; query: Query },
): Attributes {
  // Malformed paths were rejected before.
  const decoded = decodedPath(path) ?? path;
  if (target.type === "other") return pathAttributes(user, method.toLowerCase(), decoded);
  const proxied = proxiedPath(path, target.resource);
  const place = proxied ?? target.resource;
  const byPath = proxied ? "proxy" : place.watch ? "watch" : undefined;
  const verb = byPath ?? verbs[method] ?? "";
  const { group, version, resource, subresource, namespace } = place;
  const about = { path: decoded, group, version, resource, subresource, namespace };
  if (byPath !== undefined || place.name !== "")
    return resourceAttributes(user, verb, { ...about, name: place.name });
  if (verb === "get") {
    const many = query.flag("watch") ? "watch" : "list";
    const selectors = selectorsIn(query);
    return resourceAttributes(user, many, {
      ...about,
      name: selectedName(selectors),
      ...selectors,
    });
  }
  if (verb === "delete")
    return resourceAttributes(user, "deletecollection", { ...about, ...selectorsIn(query) });
  return resourceAttributes(user, verb, about);
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** The path after `proxy/`, which was a verb in old versions and had no subresources. */
function proxiedPath(
  path: string,
  { resource, namespace }: ResourcePath,
): ResourcePath | undefined {
  if (resource !== "proxy" || namespace !== "") return undefined;
  const inner = parsePath(path.replace("/proxy", ""));
  return inner?.type === "resource" ? { ...inner.resource, subresource: "" } : undefined;
}

type Selectors = Pick<Attributes, "fieldSelector" | "labelSelector">;

function selectorsIn(query: Query): Selectors {
  const fields = query.text("fieldSelector");
  const labels = query.text("labelSelector");
  return {
    ...(fields !== "" && { fieldSelector: parsedFields(fields) }),
    ...(labels !== "" && { labelSelector: parsedLabels(labels) }),
  };
}

export const parsedFields = (text: string): Selecting<FieldRequirement> =>
  parsed(() => parseFieldSelector(text));
export const parsedLabels = (text: string): Selecting<LabelRequirement> =>
  parsed(() => parseLabelSelector(text).requirements);

function parsed<R>(read: () => readonly R[]): Selecting<R> {
  try {
    return { requirements: read(), isPartial: false };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { requirements: [], isPartial: true };
  }
}

/** A list of a single name counts as a request for that object. */
function selectedName({ fieldSelector }: Selectors): string {
  const name = requiredFieldValue(fieldSelector?.requirements ?? [], "metadata.name") ?? "";
  return pathSegmentName(name).length === 0 ? name : "";
}
