import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startEtcdServers } from "../../src/store/etcd/etcd-server.test-support.ts";
import { eventually } from "../eventually.ts";
import { ask, startWith, type TestAuthority } from "../support/apiserver.test-support.ts";
import { freePort } from "../support/wherry-process.test-support.ts";

/** The program of another API server, which is to be recorded instead of compared with. */
export const recordedProgram = process.env.WHERRY_RECORDED_APISERVER;

/** How a caller shows who it is. */
export interface Identity {
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ServedApi {
  readonly port: number;
  readonly admin: Identity;
}

/** Starts Wherry's API server, or the one that is recorded on an etcd of its own, with the same flags. */
export async function startServed(
  dir: string,
  clients: TestAuthority,
  ...flags: readonly string[]
): Promise<ServedApi> {
  const { cert, key } = clients.issue("administrator", { organizations: ["system:masters"] });
  const admin = { cert: readFileSync(cert), key: readFileSync(key) };
  const common = [
    ...["--client-ca-file", clients.file, "--authorization-mode=Node,RBAC"],
    ...["--service-cluster-ip-range=10.0.0.0/24", "--bind-address=127.0.0.1"],
    ...flags,
  ];
  if (recordedProgram === undefined) return { admin, port: (await startWith(dir, ...common)).port };
  return { admin, port: await startRecorded(recordedProgram, { dir, admin, flags: common }) };
}

async function startRecorded(
  program: string,
  options: {
    readonly dir: string;
    readonly admin: Identity;
    readonly flags: readonly string[];
  },
): Promise<number> {
  const { dir, admin, flags } = options;
  const etcd = await startEtcdServers();
  onTestFinished(() => etcd.stop());
  const key = join(dir, "tokens.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(key, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  const port = await freePort();
  const server = spawn(
    program,
    [
      ...["--etcd-servers", etcd.endpoints.join(), `--secure-port=${port}`],
      ...[
        "--service-account-issuer=https://kubernetes.default.svc",
        "--cert-dir",
        join(dir, "certs"),
      ],
      ...["--service-account-key-file", key, "--service-account-signing-key-file", key],
      ...flags,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let printed = "";
  server.stderr.on("data", (text) => {
    printed = `${printed}${text}`.slice(-10_000);
  });
  const ended = new Promise<void>((resolve) => server.on("exit", () => resolve()));
  onTestFinished(async () => {
    server.kill("SIGKILL");
    await ended;
  });
  await eventually(async () => {
    if (server.exitCode !== null) throw new Error(`it ended: ${printed}`);
    const { text } = await ask({ port }, "/readyz", admin).catch(() => ({ text: "" }));
    if (text !== "ok") throw new Error("it is not ready");
  });
  return port;
}
