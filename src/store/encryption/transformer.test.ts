import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { nodeCiphers } from "../../../test/node-ciphers.ts";
import {
  cbcTransformer,
  gcmTransformer,
  secretboxTransformer,
  seedTransformer,
} from "./key-transformers.ts";
import { identity, prefixTransformer, type Transformer } from "./transformer.ts";

const key = Uint8Array.from({ length: 32 }, (_, i) => i);
const other = key.map((byte) => byte ^ 255);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);
const path = bytes("/registry/secrets/default/a");

const makers = {
  aesgcm: gcmTransformer,
  aescbc: cbcTransformer,
  secretbox: secretboxTransformer,
  seed: seedTransformer,
};

type Row = [name: keyof typeof makers, authenticatesPath: boolean];
each<Row>([
  ["aesgcm", true],
  ["aescbc", false],
  ["secretbox", false],
  ["seed", true],
])("%s: opens what it sealed, with the same key and at the same path", async (name, isBound) => {
  const transformer = makers[name](nodeCiphers, key);
  for (const plain of ["", "a", "x".repeat(16), "y".repeat(1000)]) {
    const sealed = transformer.seal(bytes(plain), path);
    if (plain.length >= 16) expect(text(sealed)).not.toContain(plain);
    expect(await transformer.open(sealed, path)).toEqual({
      value: expect.toSatisfy((value: Uint8Array) => text(value) === plain),
      isStale: false,
    });
    expect(transformer.seal(bytes(plain), path)).not.toEqual(sealed);
  }
  const sealed = transformer.seal(bytes("secret"), path);
  const elsewhere = () => transformer.open(sealed, bytes("/registry/secrets/default/b"));
  if (isBound) expect(elsewhere).toThrow("cipher: message authentication failed");
  else expect(elsewhere).not.toThrow();
  expect(() => transformer.open(sealed.subarray(0, 8), path)).toThrow(
    "the stored data was shorter than the required size",
  );
});

/** Made by upstream's own transformers with the same key and path. */
const byUpstream: [keyof typeof makers, string][] = [
  [
    "aescbc",
    "13bd7349c727d7794ec5f6a1d7413d3052def9023d6f1a9c2cc04894e8c05b3961feaca6c1ecfc800b1fff9965413e1e",
  ],
  [
    "aesgcm",
    "c16efee6e3c388c5144a9fe3f9502a78b7df7922c296cf7680bf9d5c8ee9a88ea9b67ef4938e71c523def69bf7f59a",
  ],
  [
    "secretbox",
    "9acb8e4d3269e202cf0a2196891933ab7ef76de047ea5ba47c0479efaad2b82654101f2b5723a610432b9ae453052a9a5261c8317aa00484d805ef",
  ],
  [
    "seed",
    "96e9327fc838557e5c052110bde1a5bcc945ce7e48b3115bd35b9f2822c2502e6ced7caf9d6ebe45fe216c7e44eb54c780345ef0897b4bdbfcf41267c5422eed9040ea21fe5c4bbb25ec22b697d750",
  ],
];

test("transformers open what upstream's sealed", async () => {
  for (const [name, hex] of byUpstream) {
    const { value } = await makers[name](nodeCiphers, key).open(Buffer.from(hex, "hex"), path);
    expect([name, text(value)]).toEqual([name, "hello from upstream"]);
  }
});

const gcm = (prefix: string, secret = key) => ({
  prefix,
  transformer: gcmTransformer(nodeCiphers, secret),
});
const plain = { prefix: "", transformer: identity };

async function outcome(transformer: Transformer, stored: Uint8Array): Promise<unknown> {
  try {
    const { value, isStale } = await transformer.open(stored, path);
    return [text(value), isStale];
  } catch (error) {
    return (error as Error).message;
  }
}

test("prefixTransformer: the first one seals, all open, and what is not the first one's is stale", async () => {
  const first = prefixTransformer([gcm("k8s:enc:a:"), plain], "none");
  const second = prefixTransformer([gcm("k8s:enc:b:", other), gcm("k8s:enc:a:"), plain], "none");
  const old = first.seal(bytes("v"), path);
  expect(text(old.subarray(0, 10))).toBe("k8s:enc:a:");
  expect(await outcome(first, old)).toEqual(["v", false]);
  expect(await outcome(second, old)).toEqual(["v", true]);
  expect(await outcome(second, bytes("plain"))).toEqual(["plain", true]);
  expect(await outcome(first, second.seal(bytes("v"), path))).toBe("none");
});

test("prefixTransformer: several may have the same prefix, with other keys", async () => {
  const old = prefixTransformer([gcm("k8s:enc:a:")], "none").seal(bytes("v"), path);
  const both = prefixTransformer([gcm("k8s:enc:a:", other), gcm("k8s:enc:a:")], "none");
  expect(await outcome(both, old)).toEqual(["v", true]);
  const wrong = prefixTransformer([gcm("k8s:enc:a:", other)], "none");
  expect(await outcome(wrong, old)).toBe("cipher: message authentication failed");
});

test("prefixTransformer: identity in front decrypts with the others, and stores plain values", async () => {
  const old = prefixTransformer([gcm("k8s:enc:a:")], "none").seal(bytes("v"), path);
  const away = prefixTransformer([plain, gcm("k8s:enc:a:")], "none");
  expect(await outcome(away, old)).toEqual(["v", true]);
  expect(text(away.seal(bytes("v"), path))).toBe("v");
  expect(await outcome(prefixTransformer([plain], "no matching prefix found"), old)).toBe(
    "no matching prefix found",
  );
});
