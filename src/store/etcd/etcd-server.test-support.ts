import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SecureContextOptions } from "node:tls";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { type CertificateRequest, encodeName, issueCertificate } from "../../platform/pki/x509.ts";
import { etcdMethods } from "./etcd-methods.ts";

/** The etcd of tests; the variable `ETCD` selects another. */
const program = process.env.ETCD || "etcd";

/** Whether this machine has etcd; otherwise, tests that need it are skipped. */
export const hasEtcd: boolean = spawnSync(program, ["--version"]).status === 0;

/** Certificate files, and the same as client options. */
export interface EtcdTls {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly client: SecureContextOptions;
}

export interface EtcdServersOptions {
  /** The number of members. Default: 1. */
  readonly members?: number;
  readonly tls?: EtcdTls;
  /** More arguments for each member. */
  readonly arguments?: readonly string[];
}

/** A member of a test's etcd. */
export interface EtcdMember {
  readonly endpoint: string;
  readonly pid: number;
  /** Kills it without cleanup. */
  kill(): Promise<void>;
  /** Suspends it with open connections until it is resumed. */
  pause(): void;
  resume(): void;
  /** Restarts it after a kill, with its data. */
  restart(): Promise<void>;
  isLeader(): Promise<boolean>;
}

export interface EtcdServers {
  readonly members: readonly EtcdMember[];
  readonly endpoints: readonly string[];
  leader(): Promise<EtcdMember>;
  /** Stops all members and removes their data. */
  stop(): Promise<void>;
}

/** Certificates for members on loopback and their clients, in a directory. */
export async function etcdTls(directory: string): Promise<EtcdTls> {
  const subject = { commonName: "etcd-ca", organizations: [] };
  const [caKey, key] = [ecKey(), ecKey()];
  const issued = (options: Omit<CertificateRequest, "issuer" | "notBefore" | "notAfter">): string =>
    issueCertificate({
      issuer: { name: encodeName(subject), key: caKey },
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      ...options,
    });
  const ca = issued({
    subject,
    publicKey: createPublicKey(caKey),
    isCa: true,
    keyUsage: ["digitalSignature", "keyCertSign"],
  });
  const cert = issued({
    subject: { commonName: "etcd", organizations: [] },
    publicKey: createPublicKey(key),
    isCa: false,
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth", "clientAuth"],
    ips: ["127.0.0.1"],
  });
  const pem = key.export({ type: "pkcs8", format: "pem" }).toString();
  const place = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  return {
    caFile: await place("etcd-ca.crt", ca),
    certFile: await place("etcd.crt", cert),
    keyFile: await place("etcd.key", pem),
    client: { ca, cert, key: pem },
  };
}

const ecKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** Starts etcd with one or several members on loopback, in temporary directories. */
export async function startEtcdServers(options: EtcdServersOptions = {}): Promise<EtcdServers> {
  for (let attempt = 0; ; attempt++) {
    const servers = await prepare(options);
    try {
      await Promise.all(servers.members.map((one) => one.restart()));
      return servers;
    } catch (error) {
      // Another process may have taken a port first.
      await servers.stop();
      if (attempt === 3) throw error;
    }
  }
}

async function prepare(options: EtcdServersOptions): Promise<EtcdServers> {
  const { members: count = 1, tls } = options;
  const directory = await mkdtemp(join(tmpdir(), "wherry-etcd-"));
  const scheme = tls ? "https" : "http";
  const ports = await freePorts(count * 2);
  const places = Array.from({ length: count }, (_, n) => ({
    name: `m${n}`,
    address: `127.0.0.1:${ports[n * 2]}`,
    peer: `http://127.0.0.1:${ports[n * 2 + 1]}`,
  }));
  const initial = places.map(({ name, peer }) => `${name}=${peer}`).join(",");
  const members = places.map(({ name, address, peer }) => {
    const endpoint = `${scheme}://${address}`;
    const arguments_ = [
      ["--name", name, "--data-dir", join(directory, name)],
      ["--listen-client-urls", endpoint, "--advertise-client-urls", endpoint],
      ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
      ["--initial-cluster", initial, "--log-level", "error"],
      tls ? ["--cert-file", tls.certFile, "--key-file", tls.keyFile] : [],
      tls ? ["--client-cert-auth", "--trusted-ca-file", tls.caFile] : [],
      options.arguments ?? [],
    ].flat();
    return member(arguments_, { endpoint, address, tls: tls?.client });
  });
  return {
    members,
    endpoints: members.map(({ endpoint }) => endpoint),
    async leader() {
      return until(async () => {
        for (const one of members) if (await one.isLeader().catch(() => false)) return one;
        return undefined;
      });
    },
    async stop() {
      await Promise.all(members.map((one) => one.kill()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Waits for a result, for at most a minute: a busy machine takes half of that to start a server. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`it did not happen: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface Place {
  readonly endpoint: string;
  readonly address: string;
  readonly tls: SecureContextOptions | undefined;
}

function member(arguments_: readonly string[], { endpoint, address, tls }: Place): EtcdMember {
  let child: ChildProcess | undefined;
  const status = async () => {
    const client = createGrpcClient({ address, tls });
    try {
      return await client.unary(etcdMethods.status, {}, { timeoutMs: 1000 });
    } finally {
      client.close();
    }
  };
  return {
    endpoint,
    get pid() {
      return child?.pid ?? 0;
    },
    async kill() {
      const ended = child;
      if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
      const gone = once(ended, "exit");
      ended.kill("SIGKILL");
      await gone;
    },
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    async restart() {
      const started = spawn(program, arguments_, { stdio: "ignore" });
      child = started;
      await once(started, "spawn");
      await until(async () => {
        if (started.exitCode !== null) throw new Error(`etcd ended with ${started.exitCode}`);
        const { leader } = await status().catch(() => ({ leader: 0n }));
        return leader !== 0n;
      });
    },
    async isLeader() {
      const { header, leader } = await status();
      return leader !== 0n && header?.member_id === leader;
    },
  };
}

/** Free ports below the ephemeral range. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
