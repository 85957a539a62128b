import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { describeWith, requires } from "../../../test/requires.ts";
import { findHierarchies } from "../../platform/cgroups/cgroup-hierarchies.ts";
import { isRunning } from "../../platform/process-identity.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { boxesFolder, noTraces, testBox, tracesOf } from "./box.test-support.ts";
import type { Box } from "./box.ts";
import { boxPaths } from "./box-paths.ts";
import { closeBox, removeBox } from "./close-box.ts";
import { reapOrphans } from "./init-script.ts";
import { openBox } from "./open-box.ts";

const inside = async (box: Box, script: string): Promise<string> => {
  const { code, stdout, stderr } = await box.run("sh", ["-c", script]);
  return code === 0 ? stdout.trim() : `exit code ${code}: ${stderr}`;
};

describeWith(requires("containers", "boxes"))("openBox", () => {
  test("a box is a machine of its own, and nothing is left when it is removed", async () => {
    const parent = boxesFolder();
    const kept = join(parent, "..", `${parent.split("/").at(-1)}-kept`);
    mkdirSync(kept);
    onTestFinished(() => rmSync(kept, { recursive: true }));
    writeFileSync(join(kept, "file"), "of the machine");
    const options = { ...testBox(parent, 1), keep: [kept, process.execPath] };
    const before = machineState();
    const box = await openBox(options);
    expect(box).toMatchObject({ isTakenOver: false, stale: [] });
    expect(await inside(box, "cat /proc/sys/kernel/hostname /etc/hostname")).toBe("node-1\nnode-1");
    expect(await inside(box, `cat '${kept}/file'; echo changed > '${kept}/file'`)).toBe(
      "of the machine",
    );
    expect(readFileSync(join(kept, "file"), "utf8")).toBe("changed\n");
    // What it writes elsewhere is its own, wherever that is.
    await inside(box, "touch /etc/own /usr/own /opt/own /own /tmp/own /var/own /root/own /run/own");
    const own = ["/etc/own", "/usr/own", "/opt/own", "/own", "/tmp/own", "/var/own", "/run/own"];
    expect(own.filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(join(box.root, "var/own"))).toBe(true);
    // Its processes see each other, and no others.
    expect(await inside(box, "ls -d /proc/[0-9]* | wc -l")).not.toMatch(/\d\d/);
    expect(await inside(box, "ls /sys/class/net | xargs")).toBe("eth0 lo");
    expect(machineState()).toEqual(before);
    // As pods leave them.
    for (const hierarchy of findHierarchies(readFileSync("/proc/self/mountinfo", "utf8"))?.all ??
      [])
      mkdirSync(join(hierarchy, box.cgroupParent, "kubepods", "pod1"), { recursive: true });
    await removeBox(options.folder);
    expect(await tracesOf(options.folder)).toEqual(noTraces);
    expect([existsSync(options.folder), isRunning(box.init)]).toEqual([false, false]);
    await removeBox(options.folder);
  });

  test("another process takes it over, with what runs in it", async () => {
    const parent = boxesFolder();
    const options = { ...testBox(parent, 1), keep: [join(parent, "kept")] };
    mkdirSync(join(parent, "kept"));
    const first = await openBox(options);
    const log = join(parent, "log");
    const command = { program: "sh", args: ["-c", "echo hi $A; exec sleep 1000"], log };
    const agent = await first.spawn("agent", { ...command, env: { A: "there" } });
    await expect(first.spawn("agent", command)).rejects.toThrow("agent is running already");

    const second = await openBox(options);
    expect(second).toMatchObject({ init: first.init, isTakenOver: true, stale: [] });
    expect(await second.find("agent")).toEqual(agent.identity);
    await eventually(() => expect(readFileSync(log, "utf8")).toBe("hi there\n"));
    process.kill(agent.identity.pid, "SIGTERM");
    expect(await agent.ended).toBe(143);
    expect(await second.find("agent")).toBeUndefined();

    renameSync(join(parent, "kept"), join(parent, "old"));
    mkdirSync(join(parent, "kept"));
    expect((await openBox(options)).stale).toEqual(options.keep);
    await expect(openBox({ ...options, address: "10.1.2.3" })).rejects.toThrow(
      `the node node-1 runs with the address ${options.address}`,
    );
  });

  test("programs in it find folders for temporary files, wherever the machine's user has them", async () => {
    const parent = boxesFolder();
    vi.stubEnv("TMPDIR", parent);
    onTestFinished(() => void vi.unstubAllEnvs());
    const box = await openBox(testBox(parent, 1));
    expect(await inside(box, "mktemp && cd")).toMatch(/^\/tmp\//);
  });

  test("routes and interfaces that others removed are restored", async () => {
    const options = testBox(boxesFolder(), 1);
    const box = await openBox(options);
    const { link } = await boxPaths(options.folder);
    for (const what of [
      ["route", "delete", options.address],
      ["link", "delete", link],
    ]) {
      await mustRun("ip", what);
      expect(await openBox(options)).toMatchObject({ init: box.init, isTakenOver: true });
      expect(await pings(options.address)).toBe(true);
    }
  });

  test("links that the box puts in its root directory lead nowhere on the machine", async () => {
    const parent = boxesFolder();
    const options = { ...testBox(parent, 1), keep: [join(parent, "kept")] };
    mkdirSync(join(parent, "kept"));
    mkdirSync(join(parent, "victim"), { mode: 0o700 });
    const box = await openBox(options);
    await closeBox(options.folder);
    for (const name of ["tmp", "var", "srv"]) {
      rmSync(join(box.root, name), { recursive: true });
      symlinkSync(join(parent, "victim"), join(box.root, name));
    }
    const again = await openBox(options);
    expect(await inside(again, `touch /tmp/a && ls -d '${parent}/kept'`)).toBe(
      join(parent, "kept"),
    );
    expect([readdirSync(join(parent, "victim")), statSync(join(parent, "victim")).mode]).toEqual([
      ...[[], 0o40700],
    ]);
  });

  test("all in it end with its first process; its files stay until it is removed", async () => {
    const parent = boxesFolder();
    const options = testBox(parent, 1);
    const box = await openBox(options);
    const log = join(parent, "log");
    const agent = await box.spawn("agent", { program: "sleep", args: ["1000"], log });
    await inside(box, "echo mine > /var/lib/file; echo mine > /etc/file");
    process.kill(box.init.pid, "SIGKILL");
    await eventually(() => expect(isRunning(agent.identity)).toBe(false));
    await expect(box.run("true", [])).rejects.toThrow("the box does not run any more");
    const again = await openBox(options);
    expect(again.isTakenOver).toBe(false);
    expect(await inside(again, "cat /var/lib/file /etc/file")).toBe("mine\nmine");
    await closeBox(options.folder);
    expect(await tracesOf(options.folder)).toEqual(noTraces);
    expect(existsSync(join(again.root, "var/lib/file"))).toBe(true);
  });

  test("the machine reaches boxes and their pods, and boxes reach the machine", async () => {
    const parent = boxesFolder();
    const options = [1, 2].map((number) => testBox(parent, number));
    const boxes = await Promise.all(options.map(openBox));
    for (const [at, box] of boxes.entries()) {
      const pod = `203.0.113.${at + 1}`;
      await inside(box, `ip addr add ${pod}/32 dev lo`);
      await box.routePods(`${pod}/32`);
      const { address = "", gateway = "" } = options[at] ?? {};
      expect(await pings(address)).toBe(true);
      expect(await pings(pod)).toBe(true);
      expect((await box.run("busybox", ["ping", "-c", "1", "-W", "5", gateway])).code).toBe(0);
    }
  });

  test("orphans are reaped", async () => {
    const box = await openBox(testBox(boxesFolder(), 1));
    // One that ends before the program that reaps is ready is reaped with the next.
    await eventually(async () => {
      const orphan = await inside(box, "(sleep 0.01 & echo $!)");
      expect(orphan).toMatch(/^\d+$/);
      expect(await inside(box, `test ! -e /proc/${orphan}`)).toBe("");
    });
  });

  test("orphans are reaped by a shell where no other program does it", async () => {
    const shell = spawn("unshare", ["--pid", "--fork", "--kill-child", "sh", "-c", reapOrphans]);
    onTestFinished(() => void shell.kill("SIGKILL"));
    const children = `/proc/${shell.pid}/task/${shell.pid}/children`;
    const init = await eventually(() => {
      const [pid = ""] = readFileSync(children, "utf8").split(" ");
      expect(readFileSync(`/proc/${pid}/comm`, "utf8")).toBe("sh\n");
      return pid;
    });
    const orphans = "for n in 1 2 3; do (sleep 0.01 & exit) & done; wait";
    await mustRun("nsenter", ["--target", init, "--pid", "sh", "-c", orphans]);
    await eventually(() => {
      const left = readFileSync(`/proc/${init}/task/${init}/children`, "utf8").trim().split(" ");
      expect(left.map((pid) => readFileSync(`/proc/${pid}/comm`, "utf8"))).toEqual(["sleep\n"]);
    });
  });

  test("a record of an earlier boot stands for nothing, and what runs without a record is ended", async () => {
    const options = testBox(boxesFolder(), 1);
    const lost = await openBox(options);
    const record = join(options.folder, "box.json");
    const content = JSON.parse(readFileSync(record, "utf8"));
    const init = { pid: process.pid, startedAt: "another boot 1" };
    writeFileSync(record, JSON.stringify({ ...content, init }));
    const box = await openBox(options);
    expect([box.isTakenOver, isRunning(lost.init), isRunning(box.init)]).toEqual([
      ...[false, false, true],
    ]);
    // As a power failure may leave it.
    writeFileSync(record, "");
    await removeBox(options.folder);
    expect(await tracesOf(options.folder)).toEqual(noTraces);
    expect([isRunning(box.init), existsSync(options.folder)]).toEqual([false, false]);
  });

  test("removeBox: a folder that is not a box's stays", async () => {
    const parent = boxesFolder();
    mkdirSync(join(parent, "other", "root"), { recursive: true });
    await removeBox(join(parent, "other"));
    expect(existsSync(join(parent, "other", "root"))).toBe(true);
  });

  test("where overlays are not possible, directories are copied", async () => {
    const parent = boxesFolder();
    const [lower = "", upper = "", work = "", merged = ""] = [
      "lower",
      "upper",
      "work",
      "merged",
    ].map((name) => join(parent, name));
    for (const path of [lower, upper, work, merged]) mkdirSync(path);
    const layers = "lowerdir=lower,upperdir=upper,workdir=work";
    await mustRun("mount", ["-c", "-t", "overlay", "overlay", "-o", layers, merged], {
      cwd: parent,
    });
    const options = testBox(merged, 1);
    onTestFinished(async () => {
      await removeBox(options.folder);
      await mustRun("umount", [merged]);
    });
    const box = await openBox(options);
    expect(await inside(box, "cat /etc/hostname; grep -c ^root: /etc/passwd")).toBe("node-1\n1");
    expect(await inside(box, "touch /etc/own /opt/own && ls /etc/own")).toBe("/etc/own");
    expect([existsSync("/etc/own"), existsSync("/opt/own")]).toEqual([false, false]);
  });

  test("a box that cannot be made is undone, and the error says why", async () => {
    const parent = boxesFolder();
    const options = testBox(parent, 1);
    await expect(openBox({ ...options, gateway: "224.0.0.1" })).rejects.toThrow(
      expect.objectContaining({ message: "cannot make a machine for the node node-1" }),
    );
    expect(await tracesOf(options.folder)).toEqual(noTraces);
    await expect(openBox({ ...options, address: "10.0.0.0/8" })).rejects.toThrow("not an IPv4");
  });
});

const pings = async (address: string): Promise<boolean> =>
  (await runChild("busybox", ["ping", "-c", "1", "-W", "5", address])).code === 0;

/** What a box must not change. */
const machineState = (): object => ({
  mounts: readFileSync("/proc/self/mountinfo", "utf8").includes("wherry boxes"),
  hostname: readFileSync("/proc/sys/kernel/hostname", "utf8"),
});
