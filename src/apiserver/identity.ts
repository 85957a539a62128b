import { forbidden, StatusError } from "../api/meta/v1/status-error.ts";
import { quote } from "../schema/quote.ts";
import type { ApiRequest } from "./request.ts";
import type { ResourcePath } from "./request-info.ts";

/** Who makes a request. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  /** What else is known of them, such as the credential they showed. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The user that a client certificate names; anonymous for who shows nothing at all. */
export function authenticate({ peer, peerError, headers }: ApiRequest): User {
  if (peerError !== undefined) throw new StatusError("Unauthorized", "Unauthorized");
  if (!peer) {
    if (/^bearer +\S/i.test(headers.authorization ?? ""))
      throw new StatusError("Unauthorized", "Unauthorized");
    return anonymous;
  }
  const { commonName, organizations, fingerprint } = peer;
  return {
    name: commonName,
    groups: [...organizations, "system:authenticated"],
    ...(fingerprint !== undefined && {
      extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
    }),
  };
}

/** Paths that anybody may read: what the role system:public-info-viewer says. */
const publicPaths = /^\/(healthz|livez|readyz|version\/?)$/;

/** Paths that who is known may read: what the role system:discovery says. */
const discoveryPaths = /^\/(healthz|livez|readyz|version\/?|(api|apis|openapi)(\/.*)?)$/;

/** Administrators may do everything; until there are roles, others may look at what there is. */
export function authorize(
  user: User,
  verb: string,
  what: { readonly path: string } | { readonly resource: ResourcePath },
): void {
  if (user.groups.includes("system:masters")) return;
  if ("path" in what) {
    const known = user.groups.includes("system:authenticated");
    if (verb === "get" && (known ? discoveryPaths : publicPaths).test(what.path)) return;
    throw forbidden(
      { group: "", resource: "", name: "" },
      `User ${quote(user.name)} cannot ${verb} path ${quote(what.path)}`,
    );
  }
  const { group, resource, subresource, namespace, name } = what.resource;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const where =
    namespace !== "" ? ` in the namespace ${quote(namespace)}` : " at the cluster scope";
  throw forbidden(
    { group, resource, name },
    `User ${quote(user.name)} cannot ${verb} resource ${quote(full)} in API group ${quote(group)}${where}`,
  );
}
