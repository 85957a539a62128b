import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mainFile, projectRoot } from "../../../../test/project.ts";
import { wherryProgram } from "../../../../test/wherry-program.ts";

const root = mkdtempSync(join(tmpdir(), "wherry-apiserver-"));
const dir = join(root, "data");
const serve = ["apiserver", "--data-dir", dir, "--secure-port", "0"];
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(root, { recursive: true });
});

const usage: [args: string[], code: number, stdout: RegExp, stderr: RegExp][] = [
  [
    ["apiserver", "--help"],
    0,
    /^Run the API server(.|\n)*\nWherry flags:\n(.|\n)*--data-dir DIR(.|\n)*\nSecure serving flags:\n(.|\n)*--secure-port int/,
    /^$/,
  ],
  [
    ["apiserver"],
    2,
    /^$/,
    /^Error: --data-dir is required: the directory for all data\nSee 'wherry apiserver --help'/,
  ],
  [
    ["apiserver", "--data-dri", dir],
    2,
    /^$/,
    /^Error: unknown flag: --data-dri\nDid you mean --data-dir\?\nSee 'wherry apiserver --help' for usage\.\n$/,
  ],
  [
    ["apiservr"],
    2,
    /^$/,
    /^Error: unknown command "apiservr" for "wherry"\nDid you mean apiserver\?\n/,
  ],
  [
    ["apiserver", "--data-dir", dir, "--secure-port", "99999"],
    2,
    /^$/,
    /^Error: --secure-port 99999 must be between 1 and 65535, inclusive\. It cannot be turned off with 0\n/,
  ],
  [["apiserver", "--version=raw"], 0, /^version\.Info\{Major:"1", Minor:"36", .*\}\n$/, /^$/],
  [
    ["apiserver", "--version=v1.35.0-custom"],
    2,
    /^$/,
    /^Error: invalid argument "v1\.35\.0-custom" for "--version" flag: version "v1\.35\.0-custom" must match major\/minor\/patch of default version "v1\.36\.0.*"\n/,
  ],
  [["apiserver", "--version"], 0, /^Kubernetes v1\.36\.\d+ \(wherry .+\)\n$/, /^$/],
  [
    [
      ...serve,
      "--etcd_servers_overrides",
      "/events#http://x",
      "--max-requests-inflight=-1",
      "--feature-gates=No=1",
    ],
    2,
    /^$/,
    /^Error: --max-requests-inflight can not be negative value\nError: --etcd-servers-overrides is not supported: .*\nError: unrecognized feature gate: No\nSee /,
  ],
  [
    ["apiserver", "--config", config("flags: { data_dri: x }"), "--data-dir", dir],
    2,
    /^$/,
    /^Error: .*\.yaml:3: unknown flag "data_dri": did you mean data-dir\?\nSee /,
  ],
  [
    ["apiserver", "--config", join(root, "none")],
    1,
    /^$/,
    /^Error: cannot read .*none, given by --config: there is no such file; check the path\n$/,
  ],
  [
    [...serve, "--client-ca-file", join(root, "none")],
    1,
    /^$/,
    /^Error: cannot read .*none, given by --client-ca-file: there is no such file; check the path\n$/,
  ],
  [
    ["apiserver", "--data-dir", mainFile],
    1,
    /^$/,
    /^Error: .*main\.ts is not a directory: choose another with --data-dir/,
  ],
  [
    [...serve, "--service-account-issuer", ""],
    2,
    /^$/,
    /^Error: service-account-issuer should not be an empty string\n/,
  ],
  [
    [...serve, "--service-account-key-file", import.meta.filename],
    1,
    /^$/,
    /^Error: error reading public key file .*: data does not contain any valid RSA or ECDSA public keys\n$/,
  ],
  [
    [...serve, "--token-auth-file", join(projectRoot, "LICENSE")],
    1,
    /^$/,
    /^Error: token file '.*LICENSE' must have at least 3 columns \(token, user name, user uid\), found \d\n$/,
  ],
];
test.each(usage)("wherry %j: exit code %i", async (args, code, stdout, stderr) => {
  expect(await wherry(args).ended).toEqual({
    code,
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringMatching(stderr),
  });
});

test("wherry apiserver: keeps objects across a restart, and locks its data directory", async () => {
  const first = wherry(serve);
  const port = await first.ready;
  expect(
    await call(port, "POST", "/api/v1/namespaces", { body: { metadata: { name: "kept" } } }),
  ).toBe(201);
  expect(readable(dir)).toEqual([join("pki", "sa.pub")]);

  const sameDir = wherry(serve);
  expect(await sameDir.ended).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^Error: .* is in use by process \d+: stop that one first\n$/),
  });
  const samePort = wherry([
    "apiserver",
    "--data-dir",
    join(root, "other"),
    "--secure-port",
    String(port),
  ]);
  expect(await samePort.ended).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^Error: port \d+ of 127\.0\.0\.1 is in use: stop what listens there, or choose another with --secure-port/,
    ),
  });

  expect(await call(port, "GET", "/api/v1/namespaces/kept")).toBe(200);
  first.child.kill("SIGTERM");
  expect(await first.ended).toMatchObject({ code: 0, stderr: "" });

  const second = wherry(serve);
  expect(await call(await second.ready, "GET", "/api/v1/namespaces/kept")).toBe(200);
  second.child.kill("SIGINT");
  expect(await second.ended).toMatchObject({ code: 0, stderr: "" });
});

test("wherry apiserver: the command line overrides flags of a file", async () => {
  const file = config(
    `flags:\n  data-dir: ${dir}\n  secure-port: 1\n  anonymous_auth: false\n  authorization-mode: [AlwaysDeny]`,
  );
  const server = wherry(["apiserver", "--config", file, "--secure-port=0"]);
  const port = await server.ready;
  expect(await call(port, "GET", "/version", { token: "" })).toBe(401);
  expect(await call(port, "GET", "/api/v1/namespaces")).toBe(200);
  server.child.kill("SIGTERM");
  expect(await server.ended).toMatchObject({ code: 0 });
});

test("wherry apiserver: a token of the token file authenticates its user, an unknown token nobody", async () => {
  const file = join(root, "tokens.csv");
  writeFileSync(file, "s3cret-1,jane,1,system:masters\ns3cret-2,joe,2\ns3cret-2,jim,2\n");
  const server = wherry([...serve, "--token-auth-file", file]);
  const port = await server.ready;
  const tokens = ["s3cret-1", "s3cret-2", "s3cret-3"];
  const statuses = tokens.map((token) => call(port, "GET", "/api/v1/nodes", { token }));
  expect(await Promise.all(statuses)).toEqual([200, 403, 401]);
  server.child.kill("SIGTERM");
  const { stderr } = await server.ended;
  expect(stderr).toMatch(/duplicate token has been found(.|\n)*request was not authenticated/);
  expect(stderr).not.toContain("s3cret");
});

/** Writes a configuration file with these lines after its head, and returns its path. */
function config(rest: string): string {
  const path = join(root, `${readdirSync(root).length}.yaml`);
  writeFileSync(path, `apiVersion: wherry.dev/v1alpha1\nkind: ApiServerConfiguration\n${rest}\n`);
  return path;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program; `ready` resolves with the port that it serves on. */
function wherry(args: readonly string[]) {
  const child = spawn(process.execPath, [wherryProgram(), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let stdout = "";
  let stderr = "";
  const ready = new Promise<number>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const [, port] = /^ready: https:\/\/127\.0\.0\.1:(\d+)$/m.exec(stdout) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => {
      running.delete(child);
      resolve({ code, stdout, stderr });
    });
  });
  return { child, ready, ended };
}

/** Sends a request as the administrator, or only with a token, and returns the status. */
function call(
  port: number,
  method: string,
  path: string,
  { token, body }: { readonly token?: string; readonly body?: object } = {},
): Promise<number | undefined> {
  const pki = (name: string) => readFileSync(join(dir, "pki", name));
  const credential =
    token === undefined
      ? { cert: pki("admin.crt"), key: pki("admin.key") }
      : { headers: { authorization: `Bearer ${token}` } };
  return new Promise((resolve, reject) => {
    const options = {
      port,
      method,
      path,
      host: "127.0.0.1",
      agent: false,
      ca: pki("ca.crt"),
      ...credential,
    } as const;
    request(options, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    })
      .on("error", reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The paths in a directory, itself included, that others than the owner can access. */
function readable(path: string): string[] {
  const all = [".", ...readdirSync(path, { recursive: true, encoding: "utf8" })];
  return all.filter((name) => (statSync(join(path, name)).mode & 0o077) !== 0);
}
