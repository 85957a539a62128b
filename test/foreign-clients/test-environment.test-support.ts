import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { eventually } from "../eventually.ts";
import { ask, type Reply, TestAuthority, testDir } from "../support/apiserver.test-support.ts";
import { freePort } from "../support/wherry-process.test-support.ts";
import { wherryProgram } from "../wherry-program.ts";

/** Prints the folder of `wherry envtest`. */
export const assets = (...flags: readonly string[]): string =>
  execFileSync(process.execPath, [wherryProgram(), "envtest", ...flags], {
    encoding: "utf8",
    env: { ...process.env, XDG_CACHE_HOME: testDir() },
  }).trim();

/** A control plane that was started as envtest starts it. */
export interface TestEnvironment {
  /** Sends a request as the administrator. */
  call(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Runs the kubectl of the folder as the administrator. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** Stops both programs by SIGTERM to their process groups; gives their exit codes. */
  stop(): Promise<readonly (number | null)[]>;
}

/**
 * What envtest of controller-runtime 0.24 does: it looks for two flags in the help, starts each program
 * in a process group of its own, and polls its health until the status is 200.
 */
export async function startEnvironment(folder: string): Promise<TestEnvironment> {
  const etcdPort = await freePort();
  const dataDir = testDir();
  const url = `http://127.0.0.1:${etcdPort}`;
  const etcd = startProgram(join(folder, "etcd"), {
    "advertise-client-urls": url,
    "data-dir": dataDir,
    "listen-client-urls": url,
    "listen-peer-urls": `http://127.0.0.1:${await freePort()}`,
    ...(hasFlag(join(folder, "etcd"), "unsafe-no-fsync") && { "unsafe-no-fsync": "true" }),
  });
  await healthy(etcd, () => statusOf(`${url}/health`));

  const certDir = testDir();
  const authority = new TestAuthority(certDir);
  const files = {
    ...namedLike("apiserver", authority.issue("apiserver", { dnsNames: ["localhost"] })),
    ...namedLike("sa-signer", authority.issue("sa-signer")),
  };
  const admin = authority.issue("admin", { organizations: ["system:masters"] });
  const port = await freePort();
  const program = join(folder, "kube-apiserver");
  const apiserver = startProgram(program, {
    "allow-privileged": "true",
    "authorization-mode": "RBAC",
    "bind-address": "127.0.0.1",
    "cert-dir": certDir,
    "client-ca-file": authority.file,
    "disable-admission-plugins": "ServiceAccount",
    "etcd-servers": url,
    ...(hasFlag(program, "insecure-port") && { "insecure-port": "0" }),
    "secure-port": String(port),
    "service-account-issuer": `https://127.0.0.1:${port}/`,
    "service-account-key-file": files["sa-signer"].cert,
    "service-account-signing-key-file": files["sa-signer"].key,
    "service-cluster-ip-range": "10.0.0.0/24",
  });
  await healthy(apiserver, async () => (await ask({ port }, "/healthz")).status);
  const identity = { cert: readFileSync(admin.cert), key: readFileSync(admin.key) };
  return {
    call: (method, path, body) =>
      ask(
        { port },
        path,
        { method, ...identity, headers: { "content-type": "application/json" } },
        body === undefined ? "" : JSON.stringify(body),
      ),
    async kubectl(...args) {
      const { stdout } = await promisify(execFile)(
        join(folder, "kubectl"),
        [
          ...[`--server=https://127.0.0.1:${port}`, "--tls-server-name=localhost"],
          ...[`--certificate-authority=${authority.file}`, `--cache-dir=${certDir}/cache`],
          ...[`--client-certificate=${admin.cert}`, `--client-key=${admin.key}`],
          ...args,
        ],
        { encoding: "utf8", env: { ...process.env, KUBECONFIG: "" } },
      );
      return stdout;
    },
    async stop() {
      const codes: (number | null)[] = [];
      for (const { child } of [apiserver, etcd]) {
        const ended = once(child, "exit");
        process.kill(-(child.pid ?? 0), "SIGTERM");
        await ended;
        codes.push(child.exitCode);
      }
      return codes;
    },
  };
}

interface StartedProgram {
  readonly child: ChildProcess;
  output(): string;
}

function startProgram(program: string, flags: Readonly<Record<string, string>>): StartedProgram {
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
  });
  return { child, output: () => output };
}

/** As envtest looks for a flag. */
function hasFlag(program: string, flag: string): boolean {
  const { status, stdout, stderr } = spawnSync(program, ["--help"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} --help: exit code ${status}`);
  return new RegExp(`^\\s*--${flag}\\b`, "m").test(`${stdout}${stderr}`);
}

async function healthy(
  { child, output }: StartedProgram,
  status: () => Promise<number | undefined>,
): Promise<void> {
  await eventually(async () => {
    if (child.exitCode !== null) return;
    if ((await status()) !== 200) throw new Error(`it is not healthy: ${output()}`);
  });
  if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output()}`);
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });
}

const namedLike = <N extends string, F>(name: N, files: F): Record<N, F> =>
  ({ [name]: files }) as Record<N, F>;
