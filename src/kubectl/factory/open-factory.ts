import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { DialStreams } from "../../base/stream-connection.ts";
import { type Client, createClient } from "../../client/client.ts";
import { createDiscovery } from "../../client/discovery/discovery.ts";
import { createRestMapper } from "../../client/discovery/rest-mapper.ts";
import type { Transport } from "../../client/transport.ts";
import { dialApiStreams } from "../../kubeconfig/dial-api-streams.ts";
import { discoveryFiles } from "../../kubeconfig/discovery-files.ts";
import type { HttpsTransportOptions } from "../../kubeconfig/https-transport.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { realClock } from "../../platform/real-clock.ts";
import { quote } from "../../schema/values/quote.ts";
import { isTerminal } from "../program/io.ts";
import type { FactoryContext } from "../program/run-kubectl.ts";
import { clientVersion } from "../version.ts";
import { connectionByFlags, flaggedKubeconfig } from "./connection-by-flags.ts";
import { withExplainedRequests } from "./explained-requests.ts";
import { type Factory, once } from "./factory.ts";
import { createOpenapiV3 } from "./openapi-v3.ts";
import { commandHeaders, withCommandHeaders } from "./request-headers.ts";
import { withRequestLog } from "./request-log.ts";
import { requestTimeout, withRequestTimeout } from "./request-timeout.ts";

/** A server that is already connected, such as the one of a test. */
export interface GivenConnection {
  readonly transport: Transport;
  readonly namespace: string;
  readonly clock: Clock;
  /** The URL of the server, for texts. */
  readonly server: string;
  readonly dialStreams?: DialStreams | undefined;
}

/** What a command does not open itself. */
export interface GivenParts {
  /** The server; without it, the flags and the kubeconfig say which. */
  readonly connection?: GivenConnection | undefined;
  /** The time; that of the connection or the machine if not given. */
  readonly clock?: Clock | undefined;
}

/** The factory of one command: it connects as the flags and the kubeconfig say, or uses what is given. */
export function openFactory(
  context: FactoryContext,
  { connection: given, clock: givenClock }: GivenParts = {},
): Factory {
  const { flags, path, io, env, cwd } = context;
  const warnings = warningPrinter(context);
  const clock = givenClock ?? given?.clock ?? realClock;
  const session = randomUUID();
  const timeoutMs = requestTimeout(flags["request-timeout"]);

  const found = once(() => connectionByFlags(flags, { env, cwd, isTerminal: io.stdin.isTerminal }));
  const httpsOptions = once(
    async (): Promise<HttpsTransportOptions> => ({
      ...(await found()).transport,
      userAgent: `kubectl/${clientVersion.gitVersion} (${clientVersion.platform}) kubernetes/${clientVersion.gitCommit.slice(0, 7)}`,
    }),
  );
  const server = async (): Promise<string> =>
    given?.server ?? String((await httpsOptions()).server).replace(/\/$/, "");
  const namespace = once(async () => {
    if (flags.namespace !== "") return { namespace: flags.namespace, isGiven: true };
    if (given) return { namespace: given.namespace, isGiven: false };
    const { namespace, isNamespaceGiven } = await found();
    return { namespace, isGiven: isNamespaceGiven };
  });
  const client = once(async (): Promise<Client> => {
    const opened = given?.transport ?? httpsTransport(await httpsOptions());
    const write = (text: string): void => void io.stderr.write(text);
    const explained = flags["explain-request"]
      ? withExplainedRequests(opened, { server: await server(), write })
      : opened;
    const logged = withRequestLog(explained, {
      verbosity: flags.v,
      server: await server(),
      clock,
      processId: process.pid,
      write: (text) => io.stderr.write(text),
    });
    const named = withCommandHeaders(logged, { path, session });
    const transport = withRequestTimeout(named, clock, timeoutMs);
    const options = { clock, onWarning: warnings.print, namespace: (await namespace()).namespace };
    const made = createClient(transport, options);
    if (flags["match-server-version"]) await matchServerVersion(made);
    return made;
  });
  const cache = once(async () =>
    given
      ? undefined
      : discoveryFiles({
          server: await server(),
          directory: cacheDirectory(flags["cache-dir"], cwd),
          env,
        }),
  );
  const discovery = once(async () => createDiscovery(await client(), { cache: await cache() }));

  return {
    client,
    discovery,
    mapper: once(async () => createRestMapper(await discovery(), { onWarning: warnings.print })),
    openapi: once(async () => createOpenapiV3(await client(), await cache())),
    namespace,
    server,
    streams: once(async () => {
      if (!given) return dialApiStreams(await httpsOptions(), commandHeaders({ path, session }));
      if (given.dialStreams) return { spdy: given.dialStreams };
      throw new Error("this connection has no streams: use a kubeconfig");
    }),
    kubeconfig: once(() => flaggedKubeconfig(flags, { env, cwd })),
    clock,
    get warningCount() {
      return warnings.count();
    },
    warn: warnings.print,
  };
}

function cacheDirectory(flag: string, cwd: string): string | undefined {
  return flag === "" ? undefined : join(resolve(cwd, flag));
}

/** Prints each warning once, as client-go does; yellow on a terminal. */
function warningPrinter({ io }: Pick<FactoryContext, "io">): {
  print(text: string): void;
  count(): number;
} {
  const seen = new Set<string>();
  return {
    print(text) {
      if (seen.has(text)) return;
      seen.add(text);
      const word = isTerminal(io.stderr) ? "\u001b[33;1mWarning:\u001b[0m" : "Warning:";
      io.stderr.write(`${word} ${text}\n`);
    },
    count: () => seen.size,
  };
}

async function matchServerVersion(client: Client): Promise<void> {
  const version = await createDiscovery(client).version();
  if (version.gitVersion !== clientVersion.gitVersion)
    throw new Error(
      `server version (${quote(version.gitVersion)}) differs from client version (${quote(clientVersion.gitVersion)})`,
    );
}
