import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ContentStore } from "./content-store.ts";
import { digestOf } from "./digest.ts";
import { testFolder } from "./images.test-support.ts";

const blob = (digest: string): string => join("blobs", "sha256", digest.slice(7));

test("content store: a blob is there as a whole or not at all", async () => {
  const root = testFolder();
  const content = await ContentStore.open(root);
  const ingest = await content.begin();
  await ingest.write(Buffer.from("hel"));
  expect(readdirSync(join(root, "blobs/sha256"))).toEqual([]);
  await ingest.write(Buffer.from("lo"));
  const digest = await ingest.commit();
  await ingest.close();
  expect(digest).toBe(digestOf("hello"));
  expect(String(await content.read(digest))).toBe("hello");
  expect(await content.list()).toMatchObject([{ digest, size: 5 }]);
  expect(readdirSync(join(root, "ingest"))).toEqual([]);
});

test("content store: an interrupted download continues where it ended", async () => {
  const root = testFolder();
  const digest = digestOf("hello");
  const first = await (await ContentStore.open(root)).begin(digest);
  await first.write(Buffer.from("hel"));
  await first.close();
  const content = await ContentStore.open(root);
  const second = await content.begin(digest);
  expect(second.offset).toBe(3);
  await second.write(Buffer.from("lo"));
  expect(await second.commit(digest)).toBe(digest);
  await second.close();
});

test("content store: bytes with another digest are refused and forgotten", async () => {
  const root = testFolder();
  const content = await ContentStore.open(root);
  const digest = digestOf("hello");
  const ingest = await content.begin(digest);
  await ingest.write(Buffer.from("evil"));
  await expect(ingest.commit(digest)).rejects.toThrow(
    `unexpected commit digest ${digestOf("evil")}, expected ${digest}: failed precondition`,
  );
  await ingest.close();
  expect(await content.size(digest)).toBeUndefined();
  expect(readdirSync(join(root, "ingest"))).toEqual([]);
});

test("content store: damage is found when a document is read", async () => {
  const root = testFolder();
  const content = await ContentStore.open(root);
  const digest = await content.put("hello");
  truncateSync(join(root, blob(digest)), 3);
  await expect(content.read(digest)).rejects.toThrow(`content ${digest} is damaged`);
  await expect(content.read(digestOf("x"))).rejects.toThrow("not found");
  const large = await content.put("x".repeat(100));
  await expect(content.read(large, 99)).rejects.toThrow("more than 99 bytes");
});

test("content store: a digest cannot be a path", async () => {
  const content = await ContentStore.open(testFolder());
  for (const digest of ["sha256:../../x", "../x", "sha256:", `sha256:${"0".repeat(63)}/`])
    await expect(content.size(digest)).rejects.toThrow("invalid checksum digest format");
});

test("content store: what was abandoned before a time is removed", async () => {
  const root = testFolder();
  const content = await ContentStore.open(root);
  writeFileSync(join(root, "ingest", "new-x"), "12345");
  expect(await content.removeIngests(0)).toBe(0);
  expect(await content.removeIngests(Date.now() + 1000)).toBe(5);
  expect(readdirSync(join(root, "ingest"))).toEqual([]);
});
