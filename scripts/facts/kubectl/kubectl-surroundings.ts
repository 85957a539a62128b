import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Listener, listen } from "../../../src/apiserver/http/listen.ts";
import type { ApiRequest } from "../../../src/apiserver/request/request.ts";
import { noLog } from "../../../src/base/log.ts";
import { ObjectReader } from "../../../src/cluster/commands/decode/decode-objects.ts";
import { stringifyJson } from "../../../src/schema/json/strict-json.ts";
import { isEnvelope } from "../../../src/schema/protobuf/envelope.ts";
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
  runtimeConfig,
  files = {},
}: KubectlScenario): Promise<Surroundings> {
  const cluster = await startCluster({ clock: "virtual", nodes, runtimeConfig });
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
    // Programs that commands run: plugins, for example.
    writeFileSync(file, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
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
  const accept = plainType((headers.accept ?? "").replace(/, ?\*\/\*$/, ""));
  const parts = [`${method} ${path}${query === "" ? "" : `?${sortedSubject(query)}`}`];
  if (accept !== "application/json") parts.push(`accept=${accept}`);
  if (!body || body.length === 0) return parts.join(" ");
  const type = headers["content-type"] ?? "";
  return [...parts, `content-type=${plainType(type)}`, bodyText(body, method)].join(" ");
}

/** The original names what events are about in an order that differs from run to run; and uids differ. */
const sortedSubject = (query: string): string =>
  query.replace(/(?<=\bfieldSelector=)involvedObject\.[^&]*/, (terms) =>
    terms
      .split("%2C")
      .sort()
      .join("%2C")
      .replace(/(?<=\.uid%3D)[0-9a-f]{8}-[0-9a-f-]{27}/, "UID"),
  );

/** Each client says in its own way that it takes plain objects. */
const plainType = (type: string): string =>
  /^(|\*\/\*|application\/json|application\/vnd\.kubernetes\.protobuf(, ?application\/json)?)$/.test(
    type,
  )
    ? "application/json"
    : type;

/** A body; the order of members in JSON does not matter, and in whole objects what says nothing. */
function bodyText(body: Uint8Array, method: string): string {
  const text = jsonOf(body);
  try {
    const value: unknown = JSON.parse(text);
    return stringifyJson(sorted(method === "PATCH" ? value : withoutEmpty(value)));
  } catch {
    return text;
  }
}

function jsonOf(body: Uint8Array): string {
  if (!isEnvelope(body)) return Buffer.from(body).toString("utf8");
  const reader = new ObjectReader("json");
  const fault = reader.read("body", () => body);
  return fault ?? String(reader.finish().output);
}

/** Clients that send protobuf leave out what others write as null or as an empty object. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== null && !isEmptyObject(member));
  return Object.fromEntries(members);
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 0;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
