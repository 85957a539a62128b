import { createDecipheriv, createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFact } from "../../../test/facts.ts";
import { type BuiltEncryption, buildEncryption } from "./build-encryption.ts";
import type { Provider } from "./encryption-configuration.ts";
import { serveKms } from "./kms-service.test-support.ts";
import { openBox } from "./open-box.test-support.ts";

interface Facts {
  readonly providers: Readonly<Record<string, Provider>>;
  /** Of the key management service: AES keys in hex, by their ids. */
  readonly kmsKeys: Readonly<Record<string, string>>;
  /** Bytes in hex. */
  readonly values: readonly {
    readonly provider: string;
    readonly path: string;
    readonly plain: string;
    readonly stored: string;
  }[];
}

const facts = readFact<Facts>("encryption.json");
const fromHex = (hex: string): Buffer => Buffer.from(hex, "hex");
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const kmsKeys = new Map(Object.entries(facts.kmsKeys).map(([id, hex]) => [id, fromHex(hex)]));
let dir = "";
let kms: Awaited<ReturnType<typeof serveKms>>;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "upstream-values-"));
  kms = await serveKms(join(dir, "kms.sock"), kmsKeys);
});
afterAll(async () => {
  await kms.close();
  await rm(dir, { recursive: true, force: true });
});

async function built(name: string): Promise<BuiltEncryption> {
  const provider = facts.providers[name] ?? {};
  const here = provider.kms && { ...provider.kms, endpoint: `unix://${join(dir, "kms.sock")}` };
  const providers = [here ? { kms: here } : provider];
  return buildEncryption(
    { resources: [{ resources: ["secrets"], providers }] },
    { own: undefined, waits: false },
  );
}

const names = Object.keys(facts.providers);

test("values of upstream: there are five of each provider", () => {
  expect(names).toEqual([
    ...["identity", "aescbc", "aescbc-24", "aesgcm", "aesgcm-16", "secretbox", "kms"],
  ]);
  for (const name of names)
    expect(facts.values.filter(({ provider }) => provider === name)).toHaveLength(5);
});

test.each(names)(
  "values of upstream: those of %s are read, and ours are in its format",
  async (name) => {
    const { transformerOf, close } = await built(name);
    try {
      const transformer = transformerOf({ group: "", resource: "secrets" });
      for (const { provider, path, plain, stored } of facts.values) {
        if (provider !== name || !transformer) continue;
        const where = Buffer.from(path);
        const { value, isStale } = await transformer.open(fromHex(stored), where);
        expect([toHex(value), isStale]).toEqual([plain, false]);
        const sealed = Buffer.from(transformer.seal(fromHex(plain), where));
        expect(toHex(readValue(sealed, where))).toBe(plain);
        expect(toHex(readValue(fromHex(stored), where))).toBe(plain);
      }
    } finally {
      close();
    }
  },
);

test.each(["aesgcm", "kms"])(
  "values of upstream: those of %s are not read under another key of the store",
  async (name) => {
    const { transformerOf, close } = await built(name);
    try {
      const transformer = transformerOf({ group: "", resource: "secrets" });
      const found = facts.values.find(({ provider }) => provider === name);
      const open = async () =>
        transformer?.open(fromHex(found?.stored ?? ""), Buffer.from("/registry/secrets/facts/x"));
      await expect(open()).rejects.toThrow("message authentication failed");
    } finally {
      close();
    }
  },
);

/** Reads a value by its format alone: another way than that of the program. */
function readValue(stored: Buffer, path: Buffer): Buffer {
  const text = stored.toString("latin1");
  const [prefix, provider = "", , name = ""] = /^k8s:enc:([^:]+):(v[12]):([^:]+):/.exec(text) ?? [];
  if (prefix === undefined) return stored;
  const body = stored.subarray(prefix.length);
  if (provider === "kms") return readEnvelope(body, path);
  const key = keyOf(name);
  if (provider === "aesgcm") return openGcm(key, body, path);
  if (provider === "secretbox") return openBox(key, body.subarray(0, 24), body.subarray(24));
  const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, body.subarray(0, 16));
  return Buffer.concat([decipher.update(body.subarray(16)), decipher.final()]);
}

function keyOf(name: string): Buffer {
  const keys = Object.values(facts.providers).flatMap(({ aescbc, aesgcm, secretbox }) => [
    ...(aescbc?.keys ?? []),
    ...(aesgcm?.keys ?? []),
    ...(secretbox?.keys ?? []),
  ]);
  return Buffer.from(keys.find((key) => key.name === name)?.secret ?? "", "base64");
}

function openGcm(key: Buffer, body: Buffer, path?: Buffer): Buffer {
  const cipher = `aes-${key.length * 8}-gcm` as "aes-256-gcm";
  const decipher = createDecipheriv(cipher, key, body.subarray(0, 12));
  if (path) decipher.setAAD(path);
  decipher.setAuthTag(body.subarray(-16));
  return Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()]);
}

/** The data, the id of the key, the sealed seed, and how the seed is used: fields 1, 2, 3 and 5. */
function readEnvelope(body: Buffer, path: Buffer): Buffer {
  const fields = new Map<number, Buffer>();
  let [at, type] = [0, 0];
  const varint = (): number => {
    for (let [value, shift] = [0, 0]; ; shift += 7) {
      const byte = body[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < body.length) {
    const tag = varint();
    if (tag === 5 << 3) {
      type = varint();
      continue;
    }
    const length = varint();
    fields.set(tag >> 3, body.subarray(at, at + length));
    at += length;
  }
  expect(type).toBe(1);
  const [data, keyId, source] = [1, 2, 3].map((tag) => fields.get(tag) ?? Buffer.alloc(0));
  const seed = openGcm(kmsKeys.get(`${keyId}`) ?? Buffer.alloc(32), source ?? Buffer.alloc(0));
  const info = data?.subarray(0, 32) ?? Buffer.alloc(0);
  const key = createHmac("sha256", seed).update(info).update(Buffer.of(1)).digest();
  return openGcm(key, data?.subarray(32) ?? Buffer.alloc(0), path);
}
