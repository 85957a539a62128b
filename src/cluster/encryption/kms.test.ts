import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { send } from "../../apiserver/in-process.test-support.ts";
import { unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../platform/grpc/serve-grpc-socket.ts";
import { realClock } from "../../platform/real-clock.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { type RunningServer, start } from "../commands/apiserver/apiserver.ts";
import { kmsMethods } from "./kms-service.ts";

/** A key management service whose key ids stand for keys of AES; it counts its calls. */
async function serveKms(path: string, keys = new Map<string, Buffer>()) {
  const calls = { encrypt: 0, decrypt: 0 };
  let [current, healthz] = ["k1", "ok"];
  const keyOf = (id: string): Buffer => {
    const key = keys.get(id) ?? randomBytes(32);
    keys.set(id, key);
    return key;
  };
  const note = { key: "version.example.com", value: new TextEncoder().encode("1") };
  const served = await serveGrpcSocket(path, [
    unaryHandler(kmsMethods.status, async () => ({ version: "v2", healthz, key_id: current })),
    unaryHandler(kmsMethods.encrypt, async ({ plaintext }) => {
      calls.encrypt++;
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keyOf(current), nonce);
      const sealed = [nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()];
      return { ciphertext: Buffer.concat(sealed), key_id: current, annotations: [note] };
    }),
    unaryHandler(kmsMethods.decrypt, async ({ ciphertext, key_id, annotations }) => {
      calls.decrypt++;
      if (annotations[0]?.key !== note.key) throw new Error("the annotation is missing");
      const decipher = createDecipheriv("aes-256-gcm", keyOf(key_id), ciphertext.subarray(0, 12));
      decipher.setAuthTag(ciphertext.subarray(-16));
      const plaintext = decipher.update(ciphertext.subarray(12, -16));
      return { plaintext: Buffer.concat([plaintext, decipher.final()]) };
    }),
  ]);
  return {
    calls,
    close: () => served.close(),
    use(id: string) {
      current = id;
    },
    sicken() {
      healthz = "no hardware";
    },
  };
}

const password = "correct-horse-battery-staple";
const secret = (name: string) => ({
  method: "POST",
  path: "/api/v1/namespaces/default/secrets",
  body: { metadata: { name }, stringData: { password } },
});

async function readPassword({ core }: RunningServer, name: string): Promise<string> {
  const { text } = await send(core, { path: `/api/v1/namespaces/default/secrets/${name}` });
  const { data } = JSON.parse(text) as { data?: { password: string } };
  return data ? Buffer.from(data.password, "base64").toString() : text;
}

test("KMS v2: a seed is encrypted once for all values, decrypted once after a restart, and follows the key", async () => {
  const above = await mkdtemp(join(tmpdir(), "kms-"));
  onTestFinished(() => rm(above, { recursive: true, force: true }));
  const socket = join(above, "kms.sock");
  const keys = new Map<string, Buffer>();
  let kms = await serveKms(socket, keys);
  onTestFinished(() => kms.close());
  const path = join(above, "encryption.yaml");
  const dir = join(above, "data");
  await writeFile(
    path,
    `kind: EncryptionConfiguration
apiVersion: apiserver.config.k8s.io/v1
resources:
- resources: ["*."]
  providers:
  - kms: {apiVersion: v2, name: test, endpoint: "unix://${socket}"}
`,
    { mode: 0o600 },
  );
  const startServer = () =>
    start({ dir, host: "127.0.0.1", port: 0, encryption: { path, reloads: false } });
  const first = await startServer();
  for (const name of ["a", "b"]) expect((await send(first.core, secret(name))).status).toBe(201);
  await first.close();
  expect(kms.calls).toEqual({ encrypt: 1, decrypt: 0 });

  const store = await openLmdbStore({ path: join(dir, "store"), clock: realClock, readOnly: true });
  const { entries } = await store.list("/registry/");
  const texts = entries.map(({ key, value }) => [key, Buffer.from(value).toString("latin1")]);
  await store.close();
  const isCore = ([key = ""]: readonly string[]) => /^\/registry\/(secrets|namespaces)\//.test(key);
  expect(texts.filter(isCore).every(([, value]) => value?.startsWith("k8s:enc:kms:v2:test:"))).toBe(
    true,
  );
  expect(texts.map(([, value]) => value).join("")).not.toContain(password);

  kms.use("k2");
  const second = await startServer();
  for (const name of ["a", "b"]) expect(await readPassword(second, name)).toBe(password);
  expect((await send(second.core, secret("c"))).status).toBe(201);
  // A seed of its own for the new key, and one question for that of the old one.
  expect(kms.calls).toEqual({ encrypt: 2, decrypt: 1 });
  const { status } = await send(second.core, { path: "/healthz/kms-providers" });
  expect(status).toBe(200);
  await second.close();

  kms.sicken();
  const third = await startServer();
  const { status: sick } = await send(third.core, { path: "/readyz/kms-providers" });
  expect(sick).toBe(500);
  await third.close();

  // A server that starts before its service waits for it.
  await kms.close();
  const starting = startServer();
  kms = await serveKms(socket, keys);
  const fourth = await starting;
  expect(await readPassword(fourth, "a")).toBe(password);
  await fourth.close();
}, 60_000);
