import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { describeWith, requires } from "../../../../test/requires.ts";
import { wherryProgram } from "../../../../test/wherry-program.ts";
import { command } from "../../../cli/command.ts";
import { runProgram } from "../../../cli/run-program.ts";
import {
  buildImage,
  busyboxImage,
  dockerArchive,
  tarOf,
} from "../../../engine/images/oci-image.test-support.ts";
import { lockStore } from "../../../engine/images/store-lock.ts";
import { startRegistry } from "../../../engine/images/test-registry.test-support.ts";
import { imageCommand } from "./image-command.ts";

const image = buildImage([tarOf([{ name: "a", content: "a" }])], { Cmd: ["x"], Env: ["A=1"] });
const busybox = busyboxImage();

function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wherry-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `wherry image` on a data directory. */
async function wherryImage(dir: string, args: readonly string[], columns?: number) {
  const written = { stdout: "", stderr: "" };
  const output = (name: keyof typeof written) => ({
    columns,
    write(text: string): void {
      written[name] += text;
    },
  });
  const code = await runProgram(
    {
      root: command({ name: "wherry", short: "", commands: [imageCommand] }),
      version: "",
      streams: { stdout: output("stdout"), stderr: output("stderr") },
      signal: new AbortController().signal,
    },
    ["image", "--data-dir", dir, "--registry-config-dir", "", ...args],
  );
  return { code, ...written };
}

async function archiveFile(folder: string): Promise<string> {
  const path = join(folder, "app.tar");
  writeFileSync(path, await buffer(dockerArchive(image, "app:1")));
  return path;
}

describeWith(requires("containers"))("wherry image", () => {
  test("loads, lists, names, shows, saves and removes", async () => {
    const folder = testFolder();
    const dir = join(folder, "data");
    expect(await wherryImage(dir, ["ls"])).toEqual({
      code: 0,
      stdout: "REPOSITORY   TAG   IMAGE ID   CREATED   SIZE\n",
      stderr: "",
    });
    expect(await wherryImage(dir, ["rm", "app"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Error: ${dir} has no images: pull or load one`),
    });
    expect(await wherryImage(dir, ["load", await archiveFile(folder)])).toEqual({
      code: 0,
      stdout: "Loaded image: app:1\n",
      stderr: "",
    });
    expect((await wherryImage(dir, ["tag", "app:1", "quay.io/x/app"])).code).toBe(0);
    const id = image.id.slice(7, 19);
    const { stdout: listed } = await wherryImage(dir, ["ls"]);
    expect(listed.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ["REPOSITORY", "TAG", "IMAGE ID"],
      ["app", "1", id],
      ["quay.io/x/app", "latest", id],
      [""],
    ]);
    expect((await wherryImage(dir, ["ls", "-q", "app"])).stdout).toBe(`${id}\n`);
    const { stdout: shown } = await wherryImage(dir, ["inspect", "app:1"]);
    expect(JSON.parse(shown)).toMatchObject([
      {
        Id: image.id,
        RepoTags: ["app:1", "quay.io/x/app:latest"],
        Config: { Cmd: ["x"], Env: ["A=1"] },
        RootFS: { Layers: image.diffIds },
      },
    ]);
    const saved = join(folder, "saved.tar");
    expect((await wherryImage(dir, ["save", "-o", saved, "app:1"])).code).toBe(0);
    expect(spawnSync("tar", ["-tf", saved], { encoding: "utf8" }).stdout).toContain(
      "manifest.json\n",
    );
    expect(await wherryImage(dir, ["rm", "app:1", "nothing"])).toEqual({
      code: 1,
      stdout: "Untagged: app:1\n",
      stderr: "Error: No such image: nothing:latest\n",
    });
    expect(await wherryImage(dir, ["rm", id])).toMatchObject({
      code: 0,
      stdout: `Untagged: quay.io/x/app:latest\nDeleted: ${image.id}\nDeleted: ${image.diffIds[0]}\n`,
    });
    expect((await wherryImage(dir, ["load", saved])).stdout).toBe("Loaded image: app:1\n");
  });

  test("verifies and prunes", async () => {
    const folder = testFolder();
    const dir = join(folder, "data");
    await wherryImage(dir, ["load", await archiveFile(folder)]);
    expect(await wherryImage(dir, ["verify"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 image, 3 blobs, .*: 0 problems\n$/),
    });
    writeFileSync(join(dir, "images/blobs/sha256", image.id.slice(7)), "{}");
    expect(await wherryImage(dir, ["verify"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`content ${image.id} is damaged`),
    });
    await wherryImage(dir, ["load", await archiveFile(folder)]);
    expect(await wherryImage(dir, ["prune", "-a"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Untagged: app:1\nDeleted: (?:.|\n)*\nTotal reclaimed space: \d/,
      ),
    });
    expect((await wherryImage(dir, ["ls", "-q"])).stdout).toBe("");
  });

  test("pulls and pushes", async () => {
    const registry = await startRegistry();
    registry.add("library/busybox:1", busybox);
    const dir = testFolder();
    const name = `${registry.host}/library/busybox:1`;
    const layer = busybox.layers[0]?.digest.slice(7, 19);
    expect(await wherryImage(dir, ["pull", name])).toEqual({
      code: 0,
      stdout: `1: Pulling from library/busybox\n${layer}: Pulling fs layer\n${layer}: Verifying Checksum\n${layer}: Download complete\n${layer}: Pull complete\nDigest: ${busybox.manifest}\nStatus: Downloaded newer image for ${name}\n${name}\n`,
      stderr: "",
    });
    expect((await wherryImage(dir, ["pull", "-q", name])).stdout).toBe(`${name}\n`);
    expect((await wherryImage(dir, ["pull", name], 80)).stdout).toContain("Image is up to date");
    const copy = `${registry.host}/copy:2`;
    await wherryImage(dir, ["tag", name, copy]);
    expect((await wherryImage(dir, ["push", copy])).stdout).toMatch(
      new RegExp(`\n2: digest: ${busybox.manifest} size: \\d+\n$`),
    );
    expect(registry.tags.get("copy:2")).toBe(busybox.manifest);
    expect(await wherryImage(dir, ["pull", `${registry.host}/missing`])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${registry.host}/missing:latest: not found\n`),
    });
  });

  test("reads and writes pipes", async () => {
    const folder = testFolder();
    const run = (input: Buffer | undefined, ...args: readonly string[]) =>
      spawnSync(process.execPath, [wherryProgram(), "image", "--data-dir", folder, ...args], {
        input,
        maxBuffer: 2 ** 28,
      });
    const loaded = run(await buffer(dockerArchive(busybox, "busybox:1")), "load", "-");
    expect(String(loaded.stderr) + String(loaded.stdout)).toBe("Loaded image: busybox:1\n");
    const { stdout, status } = run(undefined, "save", "busybox:1");
    expect(status).toBe(0);
    const { stdout: names } = spawnSync("tar", ["-t"], { input: stdout, encoding: "utf8" });
    expect(names.split("\n")).toEqual(expect.arrayContaining(["index.json", "manifest.json"]));
  });

  test("says who has the images open, and a killed process does not keep them", async () => {
    const folder = testFolder();
    const dir = join(folder, "data");
    await wherryImage(dir, ["load", await archiveFile(folder)]);
    const unlock = await lockStore(join(dir, "images"));
    expect(await wherryImage(dir, ["ls"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`the images in ${dir} are in use by process ${process.pid}`),
    });
    await unlock();
    const child = spawn(process.execPath, [wherryProgram(), "image", "--data-dir", dir, "load"], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdin.on("error", () => undefined);
    child.stdin.write((await buffer(dockerArchive(busybox, "b:1"))).subarray(0, 100_000));
    await eventually(() => expect(readdirSync(join(dir, "images/locks"))).toHaveLength(1));
    child.kill("SIGKILL");
    await ended;
    expect((await wherryImage(dir, ["verify"])).stdout).toMatch(/: 0 problems\n$/);
    expect((await wherryImage(dir, ["ls", "-q"])).stdout).toBe(`${image.id.slice(7, 19)}\n`);
  });

  test("refuses to write an archive to a terminal", async () => {
    expect(await wherryImage(testFolder(), ["save", "x"], 80)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cowardly refusing to save to a terminal"),
    });
  });
});
