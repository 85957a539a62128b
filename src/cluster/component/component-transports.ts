import type { Clock } from "../../base/clock.ts";
import { createClient } from "../../client/client.ts";
import { type RateLimit, rateLimited } from "../../client/rate-limited.ts";
import type { Transport } from "../../client/transport.ts";
import { type HttpsTransportOptions, httpsTransport } from "../../kubeconfig/https-transport.ts";
import { accountTransports } from "./account-transports.ts";
import { anonymousConnection } from "./component-connection.ts";

export interface ComponentTransportsOptions {
  readonly connection: HttpsTransportOptions;
  /** How many calls are made; each named part has a limit of its own. */
  readonly limit: RateLimit;
  /** The limit of an account that has another one. */
  readonly limitOf?: ((account: string) => RateLimit | undefined) | undefined;
  /** Whether each part calls in the name of a service account of its own. */
  readonly usesAccounts: boolean;
  readonly clock: Clock;
}

/** Through what the parts of a component call, each known by its name. */
export interface ComponentTransports {
  /** In the component's own name. */
  own(part: string): Transport;
  /** The same, held back by nothing: for what must happen in time. */
  urgent(part: string): Transport;
  /** In the name of an account, where accounts are used. */
  of(account: string): Transport;
  close(): void;
}

/** Opens what a component calls its API server through. */
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

/** A transport whose calls say by whom they are made. */
const called =
  (userAgent: string, transport: Transport): Transport =>
  (request) =>
    transport({ ...request, headers: { "user-agent": userAgent, ...request.headers } });
