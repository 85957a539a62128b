import type { Clock } from "../../base/clock.ts";
import { createClient } from "../../client/client.ts";
import { type RateLimit, rateLimited } from "../../client/rate-limited.ts";
import type { Transport } from "../../client/transport.ts";
import { type HttpsTransportOptions, httpsTransport } from "../../kubeconfig/https-transport.ts";
import { accountTransports } from "./account-transports.ts";
import { anonymousConnection } from "./component-connection.ts";

export interface ComponentTransportsOptions {
  readonly connection: HttpsTransportOptions;
  /** The request limit of each part of a component. */
  readonly limit: RateLimit;
  /** The limit of an account, if it differs. */
  readonly limitOf?: ((account: string) => RateLimit | undefined) | undefined;
  /** Whether each part calls as its own service account. */
  readonly usesAccounts: boolean;
  readonly clock: Clock;
}

/** The transports of a component's parts, each with its own user agent. */
export interface ComponentTransports {
  /** Calls as the component. */
  own(part: string): Transport;
  /** The same without a request limit, for calls that must not be delayed. */
  urgent(part: string): Transport;
  /** Calls as a service account, if accounts are used. */
  of(account: string): Transport;
  close(): void;
}

/** Opens the transports of a component to its API server. */
export function componentTransports(options: ComponentTransportsOptions): ComponentTransports {
  const { connection, limit, limitOf, usesAccounts, clock } = options;
  const root = httpsTransport(connection);
  const anonymous = usesAccounts ? httpsTransport(anonymousConnection(connection)) : undefined;
  const { userAgent = "" } = connection;
  const urgent = (part: string): Transport => called(`${userAgent}/${part}`, root);
  const limited = (part: string, transport: Transport): Transport =>
    rateLimited(transport, { ...(limitOf?.(part) ?? limit), clock });
  const own = (part: string): Transport => limited(part, urgent(part));
  const as =
    anonymous &&
    accountTransports({
      client: createClient(urgent("service-account-credentials"), { clock }),
      transport: anonymous,
      clock,
    });
  return {
    own,
    urgent,
    of: (account) =>
      as ? limited(account, called(`${userAgent}/${account}`, as(account))) : own(account),
    close() {
      root.close();
      anonymous?.close();
    },
  };
}

/** A transport that adds a user agent to its calls. */
const called =
  (userAgent: string, transport: Transport): Transport =>
  (request) =>
    transport({ ...request, headers: { "user-agent": userAgent, ...request.headers } });
