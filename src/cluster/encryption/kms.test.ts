import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serverName } from "../../apiserver/bootstrap/identity-lease.ts";
import { send } from "../../apiserver/in-process.test-support.ts";
import { realClock } from "../../platform/real-clock.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { start } from "../commands/apiserver/apiserver.ts";
import { serveKms } from "./kms-service.test-support.ts";
import { password, readPassword, secret } from "./stored-secrets.test-support.ts";

const hash = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const sha256 = (text: string): Uint8Array => createHash("sha256").update(text).digest();
const server = hash(serverName(hostname(), sha256));
const method = "/v2.KeyManagementService";
/** The values of the first server were read, and one was written with the second key. */
const metricsAfterRotation = [
  `apiserver_envelope_encryption_kms_operations_latency_seconds_count{grpc_status_code="OK",method_name="${method}/Decrypt",provider_name="test"} 1`,
  `apiserver_envelope_encryption_kms_operations_latency_seconds_count{grpc_status_code="OK",method_name="${method}/Encrypt",provider_name="test"} 1`,
  `apiserver_envelope_encryption_dek_source_cache_size{provider_name="test"} 2`,
  `apiserver_storage_envelope_transformation_cache_misses_total 1`,
  `apiserver_storage_transformation_operations_total{resource="secrets",status="OK",transformation_type="from_storage",transformer_prefix="k8s:enc:kms:v2:test:"} 2`,
  `apiserver_storage_transformation_operations_total{resource="secrets",status="OK",transformation_type="to_storage",transformer_prefix="k8s:enc:kms:v2:test:"} 1`,
  `apiserver_envelope_encryption_dek_cache_fill_percent 0`,
];
const timesAfterRotation = [
  `apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds{apiserver_id_hash="${server}",key_id_hash="${hash("k1")}",provider_name="test",transformation_type="from_storage"} `,
  `apiserver_envelope_encryption_key_id_hash_total{apiserver_id_hash="${server}",key_id_hash="${hash("k2")}",provider_name="test",transformation_type="to_storage"} `,
  `apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds{apiserver_id_hash="${server}",key_id_hash="${hash("k2")}",provider_name="test"} `,
  `apiserver_storage_transformation_duration_seconds_count{transformation_type="from_storage",transformer_prefix="k8s:enc:kms:v2:test:"} `,
  `apiserver_encryption_config_controller_last_config_info{apiserver_id_hash="${server}",hash="sha256:`,
];

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
  const { text } = await send(second.core, { path: "/metrics" });
  for (const line of metricsAfterRotation) expect(text).toContain(`${line}\n`);
  for (const start of timesAfterRotation) expect(text).toContain(start);
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
}, 240_000);
