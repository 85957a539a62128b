import { forbidden, type StatusError } from "../../api/meta/v1/status-error.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Attributes } from "./attributes.ts";
import type { Authorizer } from "./authorizer.ts";

/** Throws unless a request is allowed. */
export async function authorize(authorizer: Authorizer, attributes: Attributes): Promise<void> {
  const { verdict, reason } = await authorizer.authorize(attributes);
  if (verdict !== "allow") throw forbiddenTo(attributes, reason);
}

/** The error for a request that is not allowed, with the authorizer's reason if there is one. */
export function forbiddenTo(attributes: Attributes, reason: string): StatusError {
  const { group, resource, name } = attributes;
  const why = withoutMarkup(refusal(attributes));
  return forbidden({ group, resource, name }, reason === "" ? why : `${why}: ${reason}`);
}

function refusal(attributes: Attributes): string {
  const { user, verb, isResource, path, group, resource, subresource, namespace } = attributes;
  const subject = `User ${quote(user.name)} cannot ${verb}`;
  if (!isResource) return `${subject} path ${quote(path)}`;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quote(namespace)}`;
  return `${subject} resource ${quote(full)} in API group ${quote(group)} ${where}`;
}

/** Escapes the text, so that no browser takes it for HTML. */
export const withoutMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
