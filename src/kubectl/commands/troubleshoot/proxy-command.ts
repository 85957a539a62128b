import { rm, stat } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, resolve } from "node:path";
import { hostPort } from "../../../base/network.ts";
import { aborted } from "../../../base/on-abort.ts";
import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../cli/flag.ts";
import { dialApiStreams } from "../../../kubeconfig/dial-api-streams.ts";
import { fileFault } from "../../../kubeconfig/file-fault.ts";
import { httpsTransport } from "../../../kubeconfig/https-transport.ts";
import { regexpFault } from "../../../schema/regexp/go-regexp.ts";
import { ExitError } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { klog } from "../shared/klog.ts";
import { type ProxyOptions, proxyServer } from "./proxy/proxy-server.ts";
import { requestFilter } from "./proxy/request-filter.ts";

const defaultPort = 8001;

const flags = {
  www: stringFlag({ short: "w", usage: "Also serve the files of this folder." }),
  "www-prefix": stringFlag({
    short: "P",
    default: "/static/",
    usage: "The prefix of paths of files, if there is a folder with files.",
  }),
  "api-prefix": stringFlag({ default: "/", usage: "The prefix of paths of the API." }),
  "accept-paths": stringFlag({
    default: "^.*",
    usage: "Regular expression for paths that the proxy should accept.",
  }),
  "reject-paths": stringFlag({
    default: "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach",
    usage:
      "Regular expression for paths that the proxy should reject, even if --accept-paths accepts them.",
  }),
  "accept-hosts": stringFlag({
    default: "^localhost$,^127\\.0\\.0\\.1$,^\\[::1\\]$",
    usage: "Regular expression for hosts that the proxy should accept.",
  }),
  "reject-methods": stringFlag({
    default: "^$",
    usage:
      "Regular expression for HTTP methods that the proxy should reject (example --reject-methods='POST,PUT,PATCH').",
  }),
  port: intFlag({
    short: "p",
    default: defaultPort,
    usage: "The port on which to run the proxy. 0 for any free port.",
  }),
  address: stringFlag({ default: "127.0.0.1", usage: "The IP address on which to serve on." }),
  "disable-filter": boolFlag({
    usage:
      "Pass on all requests. This is dangerous: web sites can then send requests to an accessible port.",
  }),
  "unix-socket": stringFlag({ short: "u", usage: "Unix socket on which to run the proxy." }),
  keepalive: durationFlag({
    usage: "The keep-alive period of an active network connection. 0 for no keepalive.",
  }),
  "append-server-path": boolFlag({
    usage: "Put the path of the server in the kubeconfig before the path of each request.",
  }),
};

export const proxyCommand = kubectlCommand({
  name: "proxy",
  usage: "[--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]",
  short: "Run a proxy to the Kubernetes API server",
  long: "Run a proxy between this machine and the Kubernetes API server, which sends requests with the credentials of the user. It can also serve the files of a folder. What comes in at its one port goes to the API server, but for paths of the files.",
  examples: `# Pass on all of the API, and nothing else
kubectl proxy --api-prefix=/

# Pass on a part of the API, and serve files, too. The pods are at localhost:8001/api/v1/pods
kubectl proxy --www=/my/files --www-prefix=/static/ --api-prefix=/api/

# Pass on the API below another path. The pods are at localhost:8001/custom/api/v1/pods
kubectl proxy --api-prefix=/custom/

# Listen on port 8011, and serve the files of ./local/www/
kubectl proxy --port=8011 --www=./local/www/

# Listen on any free port, which is printed
kubectl proxy --port=0

# Have the pods at localhost:8001/k8s-api/v1/pods/
kubectl proxy --api-prefix=/k8s-api`,
  flags,
  async run(context) {
    const { flags, io, signal } = context;
    const options = await proxyOptions(context);
    if (flags.port !== defaultPort && flags["unix-socket"] !== "")
      throw new Error("cannot set --unix-socket and --port at the same time");
    await checkFolder(context);
    const server = proxyServer(options);
    const place = await listen(context, server);
    io.stdout.write(`Starting to serve on ${place}\n`);
    await aborted(signal);
    server.close();
    server.closeAllConnections();
    throw signal.reason;
  },
});

type ProxyContext = CommandContext<typeof flags>;

async function proxyOptions(context: ProxyContext): Promise<ProxyOptions> {
  const { flags, factory, cwd } = context;
  const withSlash = (prefix: string): string => (prefix.endsWith("/") ? prefix : `${prefix}/`);
  const found = await factory.serverOptions();
  const server = new URL(found.server);
  if (!flags["append-server-path"]) {
    if (server.pathname !== "" && server.pathname !== "/")
      klog(
        context,
        "W",
        `Your kube context contains a server path ${server.pathname}, use --append-server-path to automatically append the path to each request`,
        "proxy.go:173",
      );
    server.pathname = "/";
  }
  const connection = { ...found, server };
  return {
    transport: httpsTransport(connection),
    streams: dialApiStreams(connection),
    apiPrefix: withSlash(flags["api-prefix"]),
    staticPrefix: withSlash(flags["www-prefix"]),
    staticFolder: flags.www === "" ? undefined : resolve(cwd, flags.www),
    filter: filterOf(context),
    keepAliveMs: flags.keepalive,
    onError: ({ message }) =>
      klog(context, "E", `Error while proxying request: ${message}`, "proxy_server.go:147"),
  };
}

function filterOf(context: ProxyContext): ProxyOptions["filter"] {
  const { flags } = context;
  if (flags["disable-filter"]) {
    if (flags["unix-socket"] === "")
      klog(
        context,
        "W",
        "Request filter disabled, your proxy is vulnerable to XSRF attacks, please be cautious",
        "proxy.go:178",
      );
    return undefined;
  }
  const rules = {
    acceptPaths: flags["accept-paths"],
    rejectPaths: flags["reject-paths"],
    acceptHosts: flags["accept-hosts"],
    rejectMethods: flags["reject-methods"],
  };
  for (const list of Object.values(rules))
    for (const pattern of list === "" ? [] : list.split(",")) {
      const fault = regexpFault(pattern);
      if (fault === undefined) continue;
      klog(context, "F", `Error compiling re: ${fault}`, "proxy_server.go:88");
      throw new ExitError(255);
    }
  return requestFilter(rules);
}

async function checkFolder(context: ProxyContext): Promise<void> {
  const { flags, cwd } = context;
  const { www } = flags;
  if (www === "") return;
  const warn = (text: string, line: number): void => klog(context, "W", text, `proxy.go:${line}`);
  try {
    const stats = await stat(resolve(cwd, www));
    if (!stats.isDirectory()) warn(`Static file directory ${www} is not a directory`, 204);
  } catch (error) {
    warn(`Failed to stat static file directory ${www}: ${fileFault("stat", www, error)}`, 202);
  }
}

/** Listens as the flags say; returns the address. */
async function listen({ flags, cwd }: ProxyContext, server: Server): Promise<string> {
  const socket = flags["unix-socket"];
  const { port, address } = flags;
  const path = socket === "" ? undefined : resolve(cwd, socket);
  if (path !== undefined && (await stat(path).catch(() => undefined))?.isSocket()) await rm(path);
  const place = socket === "" ? `tcp ${hostPort(address, port)}` : `unix ${socket}`;
  // Only the user may connect.
  const before = path === undefined ? undefined : process.umask(0o077);
  try {
    await new Promise<void>((done, reject) => {
      server.once("error", reject);
      if (path === undefined) server.listen({ port, host: address }, () => done());
      else server.listen(path, () => done());
    });
  } catch (error) {
    const { code: given = "", message } = error as NodeJS.ErrnoException;
    // Node says of a missing folder that it may not be read.
    const isMissing = path !== undefined && !(await stat(dirname(path)).catch(() => undefined));
    const code = isMissing ? "ENOENT" : given;
    throw new Error(`listen ${place}: bind: ${bindFaults[code] ?? message}`, { cause: error });
  } finally {
    if (before !== undefined) process.umask(before);
  }
  if (path !== undefined) return socket;
  const bound = server.address() as AddressInfo;
  return hostPort(bound.address, bound.port);
}

const bindFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "cannot assign requested address",
  ENOENT: "no such file or directory",
};
