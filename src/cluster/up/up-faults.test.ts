import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testWith } from "../../../test/requires.ts";
import { identifyProcess, isRunning } from "../../platform/process-identity.ts";
import { version } from "../version.ts";
import { newMachine } from "./machine.test-support.ts";
import { unusableDirectory } from "./unusable-directory.ts";

const minutes = 120_000;

/** Writes a record, as if the cluster had been started before. */
function remember(machine: ReturnType<typeof newMachine>, record: object): void {
  const dir = machine.clusterDir("wherry");
  mkdirSync(dir, { recursive: true });
  const usual = { dataDir: join(dir, "data"), isEphemeral: false, nodes: 0, port: 0, version };
  writeFileSync(join(dir, "cluster.json"), JSON.stringify({ ...usual, ...record }));
}

test(
  "a process that reuses the cluster's pid is neither reported as running nor killed",
  async () => {
    const machine = newMachine();
    const other = identifyProcess(process.pid);
    remember(machine, { process: { pid: process.pid, startedAt: "long ago" } });
    expect((await machine.run("status")).code).toBe(3);
    expect(await machine.run("down")).toMatchObject({
      code: 0,
      stdout: 'The cluster "wherry" was not running.\n',
    });
    remember(machine, { process: { pid: process.pid, startedAt: "long ago" } });
    expect(await machine.run("up")).toMatchObject({ code: 0 });
    expect(machine.record("wherry").process?.pid).not.toBe(process.pid);
    expect(other && isRunning(other)).toBe(true);
  },
  minutes,
);

test(
  "a port in use: the error says how to find its program and how to choose another port",
  async () => {
    const machine = newMachine();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const remedy = `is in use by another program: stop it (find it with "ss -ltnp 'sport = :${port}'" or "lsof -i :${port}"), or choose another port with --port; --port 0 chooses a free one\n`;
    expect(await machine.run("up", "--port", String(port))).toMatchObject({
      code: 1,
      stderr: `starting the cluster "wherry"\nError: port ${port} ${remedy}`,
    });
    remember(machine, { port });
    expect(await machine.run("up")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`port ${port}, which this cluster had before, ${remedy}`),
    });
    expect(await machine.run("up", "--port", "0")).toMatchObject({ code: 0 });
  },
  minutes,
);

test(
  "data of a newer version is not touched",
  async () => {
    const machine = newMachine();
    const data = join(machine.dir, "mine");
    mkdirSync(data);
    const stamp = '{"dataVersion":2,"wherry":"7.0.0"}';
    writeFileSync(join(data, "wherry.json"), stamp);
    expect(await machine.run("up", "--data-dir", data)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Error: ${data} was written by a newer version of Wherry (7.0.0; this is ${version}) and cannot be read by this one: use that version, or choose another directory with --data-dir\n`,
      ),
    });
    expect(readFileSync(join(data, "wherry.json"), "utf8")).toBe(stamp);
  },
  minutes,
);

test(
  "a cluster that cannot start reports the last lines of its log, and no process is left",
  async () => {
    const machine = newMachine();
    const pki = join(machine.clusterDir("wherry"), "data", "pki");
    mkdirSync(pki, { recursive: true, mode: 0o700 });
    writeFileSync(join(pki, "ca.crt"), "nonsense", { mode: 0o600 });
    const { code, stderr } = await machine.run("up", "--nodes", "0");
    expect(code).toBe(1);
    expect(stderr).toContain("Error: the cluster's process exited while starting: ");
    expect(stderr).toMatch(
      /\nThe last lines of its log .*\/wherry\/clusters\/wherry\/server\.log:\n {2}Error: .*ca\.crt/,
    );
    expect(machine.record("wherry").process).toBeUndefined();
    expect((await machine.run("status")).code).toBe(3);
    expect(existsSync(machine.kubeconfig)).toBe(false);
  },
  minutes,
);

test(
  "an interrupt stops the start, and a new cluster leaves no record",
  async () => {
    const machine = newMachine();
    const up = machine.start("up", "--nodes", "0");
    await up.until(/starting the cluster/);
    const { code, stderr } = await up.end("SIGINT");
    expect(code).toBe(130);
    expect(stderr).toContain('interrupted: the cluster "wherry" is not running\n');
    expect(existsSync(join(machine.clusterDir("wherry"), "cluster.json"))).toBe(false);
    expect((await machine.run("list")).stdout).toBe("");
  },
  minutes,
);

test(
  "a foreign context of that name is not replaced",
  async () => {
    const machine = newMachine();
    const theirs = "contexts:\n- context:\n    cluster: theirs\n  name: wherry\n";
    writeFileSync(machine.kubeconfig, theirs);
    expect(await machine.run("up")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Error: the kubeconfig has a context "wherry" that does not belong to this cluster: choose another cluster name with "wherry up NAME", or rename that entry\n',
      ),
    });
    expect(readFileSync(machine.kubeconfig, "utf8")).toBe(theirs);
    expect(existsSync(join(machine.clusterDir("wherry"), "cluster.json"))).toBe(false);
  },
  minutes,
);

test(
  "a directory that holds foreign files is never removed",
  async () => {
    const machine = newMachine();
    const precious = join(machine.dir, "precious");
    mkdirSync(precious);
    writeFileSync(join(precious, "thesis.txt"), "years of work");
    remember(machine, { dataDir: precious });
    expect(await machine.run("delete", "--yes")).toMatchObject({
      code: 1,
      stderr: `Error: ${precious} does not hold the data of a cluster: nothing was removed\n`,
    });
    writeFileSync(join(precious, "wherry.json"), `{"dataVersion":1,"wherry":"${version}"}`);
    expect(await machine.run("delete", "--yes")).toMatchObject({
      code: 1,
      stderr: `Error: ${precious}, which holds the data of the cluster "wherry", also holds thesis.txt: move that away first, because the whole directory is removed\n`,
    });
    expect(readFileSync(join(precious, "thesis.txt"), "utf8")).toBe("years of work");
  },
  minutes,
);

test(
  "a second command is rejected while a cluster starts; the lock of an ended process is taken over",
  async () => {
    const machine = newMachine();
    mkdirSync(machine.clusterDir("wherry"), { recursive: true });
    const lock = join(machine.clusterDir("wherry"), "lock");
    writeFileSync(lock, JSON.stringify(identifyProcess(process.pid)));
    expect(await machine.run("up")).toMatchObject({
      code: 1,
      stderr: `Error: another command is starting or stopping the cluster "wherry" (process ${process.pid}): wait until it ends, or remove ${lock} if none is running\n`,
    });
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: "long ago" }));
    expect(await machine.run("up", "--nodes", "0")).toMatchObject({ code: 0 });
    expect(existsSync(lock)).toBe(false);
  },
  minutes,
);

test(
  "invalid command lines, and clusters that do not exist",
  async () => {
    const machine = newMachine();
    const rows: [args: string[], code: number, stderr: string][] = [
      [["down"], 1, 'Error: there is no cluster "wherry": start one with "wherry up"\n'],
      [["status", "x"], 1, 'Error: there is no cluster "x": start one with "wherry up"\n'],
      [
        ["up", "Not A Name"],
        1,
        'Error: "Not A Name" is not a valid cluster name: use at most 63 lower-case letters, digits, "-" and "."\n',
      ],
      [
        ["up", "../x"],
        1,
        'Error: "../x" is not a valid cluster name: use at most 63 lower-case letters, digits, "-" and "."\n',
      ],
      [
        ["up", "--nodes=-1", "--port=70000"],
        2,
        "Error: --nodes must not be negative\nError: --port must be between 0 and 65535\nSee 'wherry up --help' for usage.\n",
      ],
      [
        ["up", "--ephemeral", "--data-dir=x"],
        2,
        "Error: --ephemeral and --data-dir exclude each other: wherry down never deletes a directory that you name\nSee 'wherry up --help' for usage.\n",
      ],
      [
        ["up", "a", "b"],
        2,
        "Error: accepts at most 1 arg(s), received 2\nSee 'wherry up --help' for usage.\n",
      ],
    ];
    for (const [args, code, stderr] of rows)
      expect(await machine.run(...args)).toEqual({ code, stdout: "", stderr });
    const file = join(machine.dir, "file");
    writeFileSync(file, "");
    expect(await machine.run("up", "--data-dir", join(file, "data"))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Error: ${join(file, "data")} cannot be used: a part of its path is not a directory: move that away, or choose another directory with --data-dir\n`,
      ),
    });
    expect((await machine.run("list")).stdout).toBe("");
  },
  minutes,
);

const mayMount = process.getuid?.() === 0 ? undefined : "mounting a small disk needs root";

testWith(mayMount)(
  "a cluster on a full or read-only disk does not start, but can be deleted",
  async ({ skip }) => {
    const machine = newMachine();
    const disk = join(machine.dir, "disk");
    mkdirSync(disk);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]);
    if (mounted.status !== 0) skip("a small disk cannot be mounted here");
    onTestFinished(() => void spawnSync("umount", [disk]));
    const data = join(disk, "data");
    const remedy = "or choose another directory with --data-dir\n";
    expect(await machine.run("up", "--data-dir", data)).toMatchObject({
      code: 1,
      stderr: `starting the cluster "wherry"\nError: ${data} cannot be used: the disk is full: free some space, ${remedy}`,
    });
    spawnSync("mount", ["-o", "remount,ro", disk]);
    const other = join(disk, "other");
    expect(await machine.run("up", "--data-dir", other)).toMatchObject({
      code: 1,
      stderr: `starting the cluster "wherry"\nError: ${other} cannot be used: it is on a read-only file system: mount it writable, ${remedy}`,
    });
    expect((await machine.run("list")).stdout).toBe("");
  },
  minutes,
);

test(
  "a cluster that is not ready in time is stopped, with an error",
  async () => {
    const machine = newMachine();
    const { code, stderr } = await machine.run("up", "--timeout", "1ms");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        "Error: the cluster was not ready in time: allow more with --timeout",
      ),
    });
    expect((await machine.run("status")).code).toBe(3);
  },
  minutes,
);

test(
  "--wait=false: does not wait for nodes",
  async () => {
    const machine = newMachine();
    const { code, stderr } = await machine.run("up", "--nodes", "1", "--wait=false");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'starting the cluster "wherry"\nthe API server is ready\n',
    });
  },
  minutes,
);

test.each([
  [
    "ENOSPC",
    "/d cannot be used: the disk is full: free some space, or choose another directory with --data-dir",
  ],
  [
    "EROFS",
    "/d cannot be used: it is on a read-only file system: mount it writable, or choose another directory with --data-dir",
  ],
  [
    "EACCES",
    "/d cannot be used: permission denied: give your user write access, or choose another directory with --data-dir",
  ],
])("unusableDirectory: %s", (code, message) => {
  const cause = Object.assign(new Error(code), { code });
  expect(unusableDirectory(new Error("cannot write", { cause }), "/d")).toEqual(new Error(message));
  const other = new Error("other");
  expect(unusableDirectory(other, "/d")).toBe(other);
});
