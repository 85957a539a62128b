import { join, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { seededEntropy } from "../../base/entropy.ts";
import type { DialStreams } from "../../base/stream-connection.ts";
import type { Client } from "../../client/client.ts";
import type { Transport } from "../../client/transport.ts";
import type { HttpsTransportOptions } from "../../kubeconfig/https-transport.ts";
import { realClock } from "../../platform/real-clock.ts";
import { quote } from "../../schema/values/quote.ts";
import { klog, kubeconfigLog } from "../commands/shared/klog.ts";
import { ExitError } from "../program/command-error.ts";
import { isTerminal } from "../program/io.ts";
import type { FactoryContext } from "../program/run-kubectl.ts";
import { clientVersion } from "../version.ts";
import { type Factory, once } from "./factory.ts";
import { RequestError, withRequestErrors } from "./request-error.ts";
import { commandHeaders, withHeaders } from "./request-headers.ts";
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

/**
 * The factory of one command: it connects as the flags and the kubeconfig say, or uses what is given. What a command
 * does not need is not even loaded, so that commands without a server start at once.
 */
export function openFactory(
  context: FactoryContext,
  { connection: given, clock: givenClock }: GivenParts = {},
): Factory {
  const { flags, path, io, env, cwd } = context;
  const warnings = warningPrinter(context);
  const clock = givenClock ?? given?.clock ?? realClock;
  // A session is no secret, and Node's module for those takes two milliseconds to load.
  const session = seededEntropy({ next: Math.random }).uuid();
  const headers = commandHeaders({ path, session });
  const timeoutMs = requestTimeout(flags["request-timeout"]);
  let isStdinUsed = false;
  const onLoaded = kubeconfigLog(flags.v, { io, factory: { clock } });

  const found = once(async () => {
    const { connectionByFlags } = await import("./connection-by-flags.ts");
    const { checkPlugin } = context;
    const { isTerminal } = io.stdin;
    const prompts = { isTerminal, isStdinUsed: () => isStdinUsed, checkPlugin };
    return connectionByFlags(flags, { env, cwd, onLoaded, ...prompts });
  });
  const httpsOptions = once(
    async (): Promise<HttpsTransportOptions> => ({
      ...(await found()).transport,
      userAgent,
    }),
  );
  const server = async (): Promise<string> =>
    given?.server ?? String((await httpsOptions()).server).replace(/\/$/, "");
  const namespace = once(async () => {
    if (flags.namespace !== "") return { namespace: flags.namespace, isGiven: true };
    if (given) return { namespace: given.namespace, isGiven: false };
    const { namespace, isNamespaceGiven } = await found().catch((error: unknown) => {
      throw namespaceError(error);
    });
    return { namespace, isGiven: isNamespaceGiven };
  });
  const client = once(async (): Promise<Client> => {
    const opened = given?.transport ?? (await openTransport());
    const named = withHeaders(await reported(opened, await server()), headers);
    const transport = withRequestTimeout(named, clock, timeoutMs);
    const options = { clock, onWarning: warnings.print, namespace: (await namespace()).namespace };
    const { createClient } = await import("../../client/client.ts");
    const made = createClient(transport, options);
    if (flags["match-server-version"]) await matchServerVersion(made);
    return made;
  });
  const openTransport = async (): Promise<Transport> => {
    const { httpsTransport } = await import("../../kubeconfig/https-transport.ts");
    return httpsTransport(await httpsOptions());
  };
  const write = (text: string): void => void io.stderr.write(text);
  const reported = async (transport: Transport, server: string): Promise<Transport> => {
    let around = withRequestErrors(transport, server);
    if (flags["explain-request"]) {
      const { withExplainedRequests } = await import("./explained-requests.ts");
      around = withExplainedRequests(around, { server, write });
    }
    if (flags.v < 6) return around;
    const { withRequestLog } = await import("./request-log.ts");
    const { pid } = process;
    const log = { verbosity: flags.v, server, clock, processId: pid, userAgent, write };
    return withRequestLog(around, log);
  };
  const cache = once(async () => {
    if (given) return undefined;
    const { discoveryFiles } = await import("../../kubeconfig/discovery-files.ts");
    const directory = cacheDirectory(flags["cache-dir"], cwd);
    return discoveryFiles({ server: await server(), directory, env });
  });
  const discovery = once(async () => {
    const { createDiscovery } = await import("../../client/discovery/discovery.ts");
    return createDiscovery(withDiscoveryTimeout(await client()), { cache: await cache() });
  });

  return {
    client,
    useStdin() {
      isStdinUsed = true;
    },
    discovery,
    mapper: once(async () => {
      const { createRestMapper } = await import("../../client/discovery/rest-mapper.ts");
      return createRestMapper(await discovery(), { onWarning: warnings.print });
    }),
    openapi: once(async () => {
      const { createOpenapiV3 } = await import("./openapi-v3.ts");
      return createOpenapiV3(await client(), await cache());
    }),
    namespace,
    server,
    async serverOptions() {
      if (!given) return httpsOptions();
      throw new Error("this connection has no address: use a kubeconfig");
    },
    streams: once(async () => {
      if (!given) {
        const { dialApiStreams } = await import("../../kubeconfig/dial-api-streams.ts");
        return dialApiStreams(await httpsOptions(), headers);
      }
      if (given.dialStreams) return { spdy: given.dialStreams };
      throw new Error("this connection has no streams: use a kubeconfig");
    }),
    kubeconfig: once(async () => {
      const { flaggedKubeconfig } = await import("./connection-by-flags.ts");
      return flaggedKubeconfig(flags, { env, cwd, onLoaded });
    }),
    clock,
    get warningCount() {
      return warnings.count();
    },
    warn: warnings.print,
    logUnreachable(error, times) {
      if (!(error instanceof RequestError)) return;
      const text = `couldn't get current server API group list: ${error.message}`;
      for (let i = 0; i < times; i++)
        klog({ io, factory: { clock } }, "E", `"Unhandled Error" err=${quote(text)}`, memcache);
    },
  };
}

/** The original words a missing context in another way when it looks for the namespace. */
function namespaceError(error: unknown): unknown {
  const [, name] = /^context "(.*)" does not exist$/.exec((error as Error).message) ?? [];
  return name === undefined
    ? error
    : new ExitError(
        1,
        `Error in configuration: context was not found for specified context: ${name}`,
      );
}

const userAgent = `kubectl/${clientVersion.gitVersion} (${clientVersion.platform}) kubernetes/${clientVersion.gitCommit.slice(0, 7)}`;

const memcache = "memcache.go:265";

/** The original limits requests of discovery by a parameter. */
const withDiscoveryTimeout = (client: Client): Client => ({
  ...client,
  raw: (request) => client.raw({ ...request, query: { ...request.query, timeout: "32s" } }),
});

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
  const { createDiscovery } = await import("../../client/discovery/discovery.ts");
  const { versionText } = await import("../version-text.ts");
  const version = await createDiscovery(client).version();
  if (version.gitVersion !== clientVersion.gitVersion)
    throw new Error(
      `server version (&${versionText(version)}) differs from client version (${versionText(clientVersion)})`,
    );
}
