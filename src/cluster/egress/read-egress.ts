import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { aggregateMessage } from "../../base/aggregate-message.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { DialTls } from "../../base/network.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { fileFault } from "../../kubeconfig/file-fault.ts";
import { readKeyPair } from "../../platform/given-files.ts";
import { quote } from "../../schema/values/quote.ts";
import {
  DocumentError,
  decodeDocument,
  readDocument,
  unknownKind,
} from "../../schema/yaml/read-document.ts";
import {
  type Connection,
  EgressSelectorConfiguration,
  type TLSConfig,
} from "./egress-configuration.ts";
import { type EgressName, validateEgress } from "./validate-egress.ts";

/** How connections to a network are made. */
export type EgressRoute =
  | { readonly protocol: "direct" }
  | { readonly protocol: "grpc"; readonly socket: string }
  | { readonly protocol: "http_connect"; readonly socket: string }
  | {
      readonly protocol: "http_connect";
      readonly host: string;
      readonly port: number;
      readonly tls?: DialTls;
    };

/** The networks that a file names, and how connections to each are made. */
export type EgressRoutes = Readonly<Partial<Record<EgressName, EgressRoute>>>;

const kind = "EgressSelectorConfiguration";
const versions = ["apiserver.k8s.io/v1beta1", "apiserver.k8s.io/v1alpha1"];
const scheme = "k8s.io/apiserver/pkg/server/egressselector/config.go:33";

/** Reads an EgressSelectorConfiguration; throws a UsageError in upstream's words. */
export async function readEgress(path: string): Promise<EgressRoutes> {
  const configuration = await read(path).catch((error: unknown) => {
    throw fault(`failed to read egress selector config: ${errorMessage(error)}`);
  });
  const problems = validateEgress(configuration, existsSync);
  if (problems.length > 0)
    throw fault(`failed to validate egress selector configuration: ${aggregateMessage(problems)}`);
  const routes: Partial<Record<EgressName, EgressRoute>> = {};
  for (const { name = "", connection = {} } of configuration.egressSelections ?? []) {
    const canonical = name.toLowerCase() as EgressName;
    routes[canonical] = await routeOf(connection).catch((error: unknown) => {
      throw fault(
        `failed to setup egress selector: failed to create dialer for egressSelection ${quote(canonical)}: ${errorMessage(error)}`,
      );
    });
  }
  return routes;
}

const fault = (why: string): UsageError => new UsageError([why]);

async function read(path: string): Promise<EgressSelectorConfiguration> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new Error(
      `unable to read egress selector configuration from ${quote(path)} [${fileFault("open", path, error)}]`,
    );
  });
  const { value: document, strict } = readDocument(text);
  if (document.kind !== kind || !versions.includes(String(document.apiVersion)))
    throw unknownKind(document, scheme);
  const decoded = decodeDocument(EgressSelectorConfiguration, document);
  const minded = [...strict, ...decoded.strict];
  if (minded.length > 0) throw new DocumentError(`strict decoding error: ${minded.join(", ")}`);
  const { egressSelections } = decoded.value as EgressSelectorConfiguration;
  if (document.apiVersion === versions[0] || !egressSelections) return { egressSelections };
  // The name of the control plane in the first version.
  const named = egressSelections.map((selection) =>
    selection.name === "master" ? { ...selection, name: "controlplane" } : selection,
  );
  return { egressSelections: named };
}

async function routeOf({ proxyProtocol, transport = {} }: Connection): Promise<EgressRoute> {
  const { tcp, uds } = transport;
  if (proxyProtocol === "Direct") return { protocol: "direct" };
  const { udsName: socket = "" } = uds ?? {};
  if (proxyProtocol === "GRPC") return { protocol: "grpc", socket };
  if (uds) return { protocol: "http_connect", socket };
  const url = new URL(tcp?.url ?? "");
  const isSecure = url.protocol === "https:";
  return {
    protocol: "http_connect",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || (isSecure ? 443 : 80)),
    ...(isSecure && { tls: await readTls(tcp?.tlsConfig ?? {}) }),
  };
}

const flag = "egress-selector-config-file";

async function readTls({
  caBundle,
  clientCert = "",
  clientKey = "",
  tlsServerName,
}: TLSConfig): Promise<DialTls> {
  const pair = await readKeyPair({ flag, path: clientCert }, { flag, path: clientKey });
  return {
    ...pair,
    ...(caBundle && { ca: await readFile(caBundle, "utf8") }),
    ...(tlsServerName && { serverName: tlsServerName }),
  };
}
