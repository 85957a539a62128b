import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import { TokenRequest } from "../../client/subresource-kinds.ts";
import type { Transport, TransportRequest } from "../../client/transport.ts";

export interface AccountTransportsOptions {
  /** Creates missing service accounts, and requests their tokens. */
  readonly client: Client;
  /** Sends requests to the server without credentials. */
  readonly transport: Transport;
  readonly clock: Clock;
}

const namespace = "kube-system";
const lifetimeSeconds = 3600;

/**
 * Transports that call as service accounts in `kube-system`. Tokens are requested when they are first
 * needed, and again after four fifths of their lifetime.
 */
export function accountTransports({
  client,
  transport,
  clock,
}: AccountTransportsOptions): (account: string) => Transport {
  return (account) => {
    const tokens = accountTokens({ account, client, clock });
    const send = (request: TransportRequest, token: string) =>
      transport({
        ...request,
        headers: { ...request.headers, authorization: `Bearer ${token}` },
      });
    return async (request) => {
      const token = await tokens.current();
      const response = await send(request, token);
      // The account, or the server's keys, may have been created again.
      if (response.status !== 401) return response;
      tokens.forget(token);
      await response.value().catch(() => undefined);
      return send(request, await tokens.current());
    };
  };
}

interface Token {
  readonly text: string;
  readonly renewAt: number;
  readonly endsAt: number;
}

interface AccountTokens {
  current(): Promise<string>;
  /** Drops a token, unless it was replaced already. */
  forget(token: string): void;
}

function accountTokens({
  account,
  client,
  clock,
}: Pick<AccountTransportsOptions, "client" | "clock"> & {
  readonly account: string;
}): AccountTokens {
  let token: Token | undefined;
  /** The pending request for a token; there is at most one. */
  let asking: Promise<Token> | undefined;
  const ask = (): Promise<Token> => {
    asking ??= requestToken(client, account, clock)
      .then((fresh) => {
        token = fresh;
        return fresh;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  return {
    async current() {
      const now = clock.now();
      if (!token || now >= token.endsAt) return (await ask()).text;
      // Calls use the token that is still valid; the next call retries.
      if (now >= token.renewAt) ask().catch(() => undefined);
      return token.text;
    },
    forget(text) {
      if (token?.text === text) token = undefined;
    },
  };
}

async function requestToken(client: Client, account: string, clock: Clock): Promise<Token> {
  const key = { namespace, name: account };
  const request = async (): Promise<Token> => {
    const { status } = await client
      .subresource(ServiceAccount, key, "token")
      .create(TokenRequest, { spec: { audiences: [], expirationSeconds: lifetimeSeconds } });
    const now = clock.now();
    const endsAt = Date.parse(status?.expirationTimestamp ?? "") || now + lifetimeSeconds * 1000;
    return { text: status?.token ?? "", endsAt, renewAt: now + (endsAt - now) * 0.8 };
  };
  try {
    return await request();
  } catch (error) {
    if (!StatusError.is(error, "NotFound")) throw error;
    await client.create(ServiceAccount, { metadata: key }).catch((fault: unknown) => {
      if (!StatusError.is(fault, "AlreadyExists")) throw fault;
    });
    return request();
  }
}
