import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Listener, listen } from "../../../src/apiserver/http/listen.ts";
import type { ApiRequest } from "../../../src/apiserver/request/request.ts";
import { noLog } from "../../../src/base/log.ts";
import { stringifyJson } from "../../../src/schema/json/strict-json.ts";
import type { Cluster } from "../../../src/testing/cluster.ts";
import { startCluster } from "../../../src/testing/start-cluster.ts";
import type { KubectlScenario } from "./kubectl-scenario.ts";
import { maskedText, type RunNames } from "./masked-text.ts";

/** A cluster behind a port of this machine, and a folder with files, for the commands of one scenario. */
export interface Surroundings extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  mask(text: string): string;
  /** The requests since the last call, without those of discovery. */
  takeRequests(): string[];
}

/** Starts a cluster on a virtual clock, so that equal requests lead to equal objects. */
export async function openSurroundings({
  nodes,
  files = {},
}: KubectlScenario): Promise<Surroundings> {
  const cluster = await startCluster({ clock: "virtual", nodes });
  const folder = mkdtempSync(join(tmpdir(), "wherry-kubectl-"));
  let requests: ApiRequest[] = [];
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    log: noLog,
    handler: async (request) => {
      if (!isDiscovery(request)) requests.push(request);
      return cluster.server.handle({ ...request, signal: request.signal, peer: administrator });
    },
  });
  const server = `127.0.0.1:${listener.port}`;
  for (const [path, text] of Object.entries({ ...files, ...homeFiles(server) })) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const names: RunNames = { server, folder };
  return {
    cluster,
    folder,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: join(folder, ".home"),
      KUBECONFIG: join(folder, ".home", "config"),
      TZ: "UTC",
    },
    mask: (text) => maskedText(text, names),
    takeRequests() {
      const taken = requests.map((request) => maskedText(requestText(request), names));
      requests = [];
      return taken;
    },
    [Symbol.asyncDispose]: () => close({ cluster, listener, folder }),
  };
}

async function close(parts: {
  readonly cluster: Cluster;
  readonly listener: Listener;
  readonly folder: string;
}): Promise<void> {
  await parts.listener.close(0);
  await parts.cluster.close();
  rmSync(parts.folder, { recursive: true });
}

const administrator = { commonName: "kubernetes-admin", organizations: ["system:masters"] };

const homeFiles = (server: string): Record<string, string> => ({
  ".home/config": `apiVersion: v1
kind: Config
current-context: here
contexts:
- name: here
  context: { cluster: here, user: admin }
clusters:
- name: here
  cluster: { server: "http://${server}" }
users:
- name: admin
  user: {}
`,
});

/** Discovery is cached in other ways, and is not what a command is about. */
const isDiscovery = ({ path }: ApiRequest): boolean =>
  /^\/(api|apis|apis\/[^/]+(\/[^/]+)?|api\/v1|openapi(\/.*)?|version)$/.test(
    path.replace(/\/$/, ""),
  );

function requestText({ method, path, query, headers, body }: ApiRequest): string {
  const accept = (headers.accept ?? "").replace(/, ?\*\/\*$/, "");
  const parts = [`${method} ${path}${query === "" ? "" : `?${query}`}`];
  // Each client says in its own way that it takes plain JSON.
  if (!/^(|\*\/\*|application\/json)$/.test(accept)) parts.push(`accept=${accept}`);
  if (body && body.length > 0)
    parts.push(`content-type=${headers["content-type"] ?? ""} ${bodyText(body)}`);
  return parts.join(" ");
}

/** A body; the order of members in JSON does not matter. */
function bodyText(body: Uint8Array): string {
  const text = Buffer.from(body).toString("utf8");
  try {
    return stringifyJson(sorted(JSON.parse(text)));
  } catch {
    return text;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
