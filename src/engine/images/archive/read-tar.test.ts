import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readTar } from "../../../platform/tar/tar-reader.ts";
import { testFolder } from "../images.test-support.ts";
import { tarOf } from "../oci-image.test-support.ts";

async function entries(bytes: Buffer, chunkSize = 100): Promise<unknown[]> {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize)
    chunks.push(bytes.subarray(at, at + chunkSize));
  const found: unknown[] = [];
  for await (const entry of readTar(Readable.from(chunks))) {
    let content = "";
    for await (const chunk of entry.content()) content += Buffer.from(chunk).toString();
    found.push([entry.type, entry.name, entry.linkName, content]);
  }
  return found;
}

const long = `${"d".repeat(90)}/${"f".repeat(90)}`;

test("tar: what is written is read, by us and by GNU tar", async () => {
  const tar = tarOf([
    { name: "folder/", type: "folder" },
    { name: long, content: "long" },
    { name: "link", type: "symlink", linkName: long },
    { name: "empty" },
    { name: "ü", content: "x".repeat(600) },
  ]);
  expect(await entries(tar)).toEqual([
    ["folder", "folder/", "", ""],
    ["file", long, "", "long"],
    ["symlink", "link", long, ""],
    ["file", "empty", "", ""],
    ["file", "ü", "", "x".repeat(600)],
  ]);
  const { stdout } = spawnSync("tar", ["-tf", "-"], {
    input: tar,
    encoding: "utf8",
    env: { LANG: "C.UTF-8" },
  });
  expect(stdout.split("\n")).toEqual(["folder/", long, "link", "empty", "ü", ""]);
});

test.each(["gnu", "pax", "ustar"])("tar: reads what GNU tar writes as %s", async (format) => {
  const folder = testFolder();
  mkdirSync(join(folder, "d".repeat(90)));
  writeFileSync(join(folder, long), "long");
  symlinkSync("target", join(folder, "link"));
  const args = ["--format", format, "-C", folder, "-cf", "-", long, "link"];
  const { stdout } = spawnSync("tar", args);
  expect(await entries(stdout)).toEqual([
    ["file", long, "", "long"],
    ["symlink", "link", "target", ""],
  ]);
});

test("tar: members that are not read are skipped", async () => {
  const names: string[] = [];
  const tar = tarOf([
    { name: "a", content: "x".repeat(5000) },
    { name: "b", content: "y" },
  ]);
  for await (const { name } of readTar(Readable.from([tar]))) names.push(name);
  expect(names).toEqual(["a", "b"]);
});

test("tar: refuses hostile headers", async () => {
  const damaged = tarOf([{ name: "a", content: "a" }]);
  damaged[10] = 1;
  await expect(entries(damaged)).rejects.toThrow("invalid tar header");
  await expect(entries(tarOf([{ name: "a", content: "a" }]).subarray(0, 700))).rejects.toThrow(
    "unexpected EOF",
  );
  const many = readTar(Readable.from([tarOf([{ name: "a" }, { name: "b" }, { name: "c" }])]), 1);
  await expect(collect(many)).rejects.toThrow("more than 1 members");
});

async function collect(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all);
}

test("tar: names that are longer than any path are refused, before many of them fill the memory", async () => {
  const tar = tarOf([{ name: "n".repeat(100_000) }]);
  await expect(entries(tar)).rejects.toThrow("invalid tar header");
});
