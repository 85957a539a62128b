import { DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import { quote } from "../../schema/values/quote.ts";
import { sendRequest } from "../connect/http-client.ts";
import { requestTarget, targetOf, urlOf } from "../connect/location.ts";
import { messageOf } from "../connect/upgrade.ts";
import { type RemoteApi, rootPath } from "./remote-api.ts";
import type { RemoteServers } from "./remote-servers.ts";
import { userHeaders } from "./user-headers.ts";

/** The aggregator as a user of other servers, who may read their discovery documents. */
export const aggregatorUser = { name: "system:kube-aggregator", groups: ["system:masters"] };

/**
 * Whether the server of an API responds to discovery: undefined if so, else what went wrong. Several attempts at
 * the same time, of which one must succeed, find one endpoint of several that works.
 */
export async function checkServer(
  api: RemoteApi,
  servers: RemoteServers,
  signal: AbortSignal,
): Promise<string | undefined> {
  const enough = new AbortController();
  let last = "";
  const attempt = async (): Promise<void> => {
    try {
      await request(api, servers, AbortSignal.any([signal, enough.signal]));
    } catch (error) {
      last = messageOf(error);
      throw error;
    }
  };
  try {
    await Promise.any(Array.from({ length: attempts }, attempt));
    return undefined;
  } catch {
    return last;
  } finally {
    enough.abort();
  }
}

const attempts = 5;
const timeoutMs = 5000;

async function request(api: RemoteApi, servers: RemoteServers, signal: AbortSignal): Promise<void> {
  const { network, clock } = servers.parts;
  const location = { ...servers.locate(api), path: rootPath(api) };
  const url = urlOf(location);
  const ask = async (until: AbortSignal): Promise<number> => {
    const connection = await network.dial(targetOf(location), until);
    until.addEventListener("abort", () => connection.destroy(), { once: true });
    const headers = [
      ["Host", location.host],
      ["User-Agent", "Go-http-client/1.1"],
      ["Connection", "close"],
      ...userHeaders(aggregatorUser),
    ] as const;
    const sent = { method: "GET", target: requestTarget(location), headers };
    const { status } = await sendRequest(connection, sent);
    connection.destroy();
    return status;
  };
  let status: number;
  try {
    status = await withDeadline({ clock, ms: timeoutMs, signal }, ask);
  } catch (cause) {
    throw new Error(`failing or missing response from ${url}: Get ${quote(url)}: ${whyOf(cause)}`, {
      cause,
    });
  }
  if (status < 200 || status >= 300)
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
}

const whyOf = (cause: unknown): string =>
  cause instanceof DeadlineExceeded
    ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    : messageOf(cause);
