import { isDns1123Label, isDns1123Subdomain } from "../../schema/values/names.ts";
import {
  AuthorizerValue,
  type CheckedResource,
  DecisionValue,
  GroupCheckValue,
  PathCheckValue,
  ResourceCheckValue,
} from "../values/authorizer-value.ts";
import { CelError } from "../values/cel-value.ts";
import { all, type Implementation, type Implementations, one, two } from "./implementation.ts";
import { trimText } from "./text.ts";

/** A check of the same resource, more narrowly. */
const narrowing = (name: keyof CheckedResource): Implementation =>
  two(
    ({ authorizer, resource }: ResourceCheckValue, value: string) =>
      new ResourceCheckValue(authorizer, { ...resource, [name]: value }),
  );

/** The functions that ask for rights. */
export const authorizerFunctions: Implementations = {
  authorizer_path: two((authorizer: AuthorizerValue, path: string) =>
    trimText(path) === ""
      ? new CelError("path must not be empty")
      : new PathCheckValue(authorizer, path),
  ),
  authorizer_group: two(
    (authorizer: AuthorizerValue, group: string) => new GroupCheckValue(authorizer, group),
  ),
  authorizer_serviceaccount: all(
    ({ authorize }: AuthorizerValue, namespace: string, name: string) => {
      if (isDns1123Subdomain(name).length > 0) return new CelError("Invalid service account name");
      if (isDns1123Label(namespace).length > 0)
        return new CelError("Invalid service account namespace");
      return new AuthorizerValue(authorize, { namespace, name });
    },
  ),
  groupcheck_resource: two(({ authorizer, group }: GroupCheckValue, resource: string) => {
    if (trimText(resource) === "") return new CelError("resource must not be empty");
    const all = { namespace: "", name: "", fieldSelector: "", labelSelector: "" };
    return new ResourceCheckValue(authorizer, { ...all, group, resource, subresource: "" });
  }),
  resourcecheck_subresource: narrowing("subresource"),
  resourcecheck_namespace: narrowing("namespace"),
  resourcecheck_name: narrowing("name"),
  authorizer_fieldselector: narrowing("fieldSelector"),
  authorizer_labelselector: narrowing("labelSelector"),
  pathcheck_check: two(
    ({ authorizer: { authorize, serviceAccount }, path }: PathCheckValue, verb: string) =>
      new DecisionValue(authorize({ serviceAccount, verb, of: { path } })),
  ),
  resourcecheck_check: two(
    ({ authorizer: { authorize, serviceAccount }, resource }: ResourceCheckValue, verb: string) =>
      new DecisionValue(authorize({ serviceAccount, verb, of: resource })),
  ),
  decision_errored: one(({ answer }: DecisionValue) => answer.error !== undefined),
  decision_error: one(({ answer }: DecisionValue) => answer.error ?? ""),
  decision_allowed: one(({ answer }: DecisionValue) => answer.isAllowed),
  decision_reason: one(({ answer }: DecisionValue) => answer.reason),
};
