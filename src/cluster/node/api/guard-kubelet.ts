import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { User } from "../../../apiserver/request/identity.ts";
import type { ApiRequest, Handler } from "../../../apiserver/request/request.ts";
import { decodedPath } from "../../../apiserver/request/request-info.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Client } from "../../../client/client.ts";
import { nodeAttributes } from "../../../kubelet/api/node-attributes.ts";
import { accessAuthorizer } from "../../component/access-authorizer.ts";
import { authenticateCaller } from "../../component/authenticate-caller.ts";
import { tokenReviewAuthenticator } from "../../component/token-review-authenticator.ts";
import type { KubeletAccess } from "./kubelet-serving.ts";
import { plainText } from "./plain-text.ts";

export interface KubeletGuardOptions {
  readonly nodeName: string;
  readonly access: KubeletAccess;
  /** Calls the API server, which reviews tokens and rights. */
  readonly client: Client;
  /** Whether there are CA certificates of clients; if not, their certificates are ignored. */
  readonly knowsAuthorities: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Lets only those requests to a kubelet pass whose callers are known and allowed. */
export function guardKubelet(handler: Handler, options: KubeletGuardOptions): Handler {
  const { nodeName, client, clock, log, knowsAuthorities } = options;
  const { anonymous, tokenTtlMs: ttlMs, decisionTtl } = options.access;
  const tokens =
    ttlMs === undefined ? undefined : tokenReviewAuthenticator({ client, clock, ttlMs });
  const authentication = { tokens, anonymous, log, knowsAuthorities: () => knowsAuthorities };
  const authorize =
    decisionTtl &&
    accessAuthorizer({
      ...{ client, clock },
      ...{ allowedTtlMs: decisionTtl.allowedMs, deniedTtlMs: decisionTtl.deniedMs },
    });

  /** The response that rejects a request; undefined if it is allowed. */
  const rejection = async (request: ApiRequest, user: User) => {
    if (!authorize) return undefined;
    const path = decodedPath(request.path) ?? request.path;
    const { verb, subresources } = nodeAttributes(request.method, path);
    const who = `user=${user.name}, verb=${verb}, resource=nodes`;
    for (const subresource of subresources) {
      const node = { version: "v1", resource: "nodes", name: nodeName };
      const resourceAttributes = { ...node, verb, subresource };
      try {
        if ((await authorize(user, { resourceAttributes })).isAllowed) return undefined;
      } catch (error) {
        log.error("authorization failed", error, { user: user.name, verb, subresource });
        return plainText(500, `Authorization error (${who}, subresource=${subresource})`);
      }
    }
    return plainText(403, `Forbidden (${who}, subresource(s)=[${subresources.join(" ")}])\n`);
  };

  return async (request) => {
    let user: User;
    try {
      user = await authenticateCaller(request, authentication);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return plainText(401, "Unauthorized");
    }
    return (await rejection(request, user)) ?? handler(request);
  };
}
