import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { hostPort } from "../base/network.ts";
import { realClock } from "../platform/real-clock.ts";
import { pemReader, tokenFileCredentials } from "./file-credentials.ts";
import { fileFault } from "./file-fault.ts";
import type { HttpsTransportOptions } from "./https-transport.ts";
import { proxyFromEnvironment } from "./proxies/proxy-choice.ts";

/** The options of the in-cluster configuration. */
export interface InClusterOptions {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The directory with the files of the service account. */
  readonly serviceAccountDir?: string | undefined;
  readonly clock?: Clock | undefined;
}

const usualDir = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Whether this process runs in a pod with access to its cluster. */
export async function isInCluster({
  env = process.env,
  serviceAccountDir = usualDir,
}: InClusterOptions = {}): Promise<boolean> {
  if (!env.KUBERNETES_SERVICE_HOST || !env.KUBERNETES_SERVICE_PORT) return false;
  return stat(join(serviceAccountDir, "token")).then(
    (found) => !found.isDirectory(),
    () => false,
  );
}

/** The in-cluster configuration: how a pod reaches its API server, and its namespace. */
export async function inClusterConnection({
  env = process.env,
  serviceAccountDir = usualDir,
  clock = realClock,
}: InClusterOptions = {}): Promise<{
  readonly transport: HttpsTransportOptions;
  readonly namespace: string;
}> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port)
    throw new Error(
      "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
    );
  const token = join(serviceAccountDir, "token");
  try {
    await readFile(token);
  } catch (cause) {
    throw new Error(fileFault("open", token, cause), { cause });
  }
  const authorities = pemReader({ path: join(serviceAccountDir, "ca.crt") }, clock);
  return {
    transport: {
      server: `https://${hostPort(host, port)}`,
      // Without the file, the authorities of the machine are trusted.
      authorities: () => authorities().catch(() => undefined),
      credentials: tokenFileCredentials(token, { clock }),
      proxy: proxyFromEnvironment(env),
      clock,
    },
    namespace: env.POD_NAMESPACE || (await namespaceIn(serviceAccountDir)) || "default",
  };
}

async function namespaceIn(dir: string): Promise<string> {
  return readFile(join(dir, "namespace"), "utf8").then(
    (text) => text.trim(),
    () => "",
  );
}
