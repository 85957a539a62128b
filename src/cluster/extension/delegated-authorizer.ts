import type { Attributes } from "../../apiserver/authorization/attributes.ts";
import { type Authorizer, noRules } from "../../apiserver/authorization/authorizer.ts";
import { isPrivileged } from "../../apiserver/authorization/modes.ts";
import type { AccessAttributes, AccessAuthorizer } from "../component/access-authorizer.ts";
import { openPathTest } from "../component/path-authorizer.ts";

/** Has the API server of the cluster authorize requests; the public paths are open to everybody. */
export const delegatedAuthorizer = (
  authorize: AccessAuthorizer,
  openPaths: readonly string[],
): Authorizer => {
  const isOpen = openPathTest(openPaths);
  return {
    async authorize(attributes) {
      if (isPrivileged(attributes.user)) return { verdict: "allow", reason: "" };
      if (!attributes.isResource && isOpen(attributes.path))
        return { verdict: "allow", reason: "" };
      const { isAllowed, isDenied, reason } = await authorize(
        attributes.user,
        reviewed(attributes),
      );
      return { verdict: isAllowed ? "allow" : isDenied ? "deny" : "no opinion", reason };
    },
    // Rules are asked of the API server of the cluster.
    rulesFor: () => noRules,
  };
};

function reviewed({ isResource, path, verb, ...resource }: Attributes): AccessAttributes {
  if (!isResource) return { nonResourceAttributes: { path, verb } };
  const { group, version, namespace, name, subresource } = resource;
  return {
    resourceAttributes: {
      namespace,
      verb,
      group,
      version,
      resource: resource.resource,
      subresource,
      name,
    },
  };
}
