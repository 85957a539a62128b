import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { type HttpsClient, httpsClient } from "../../../test/support/https-client.test-support.ts";
import { startProcess } from "../../../test/support/server-process.test-support.ts";
import { realClock } from "../../platform/real-clock.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { runStore } from "../store/store-command.test-support.ts";
import { configuration, contents, folder } from "./stored-secrets.test-support.ts";

const secrets = "/api/v1/namespaces/default/secrets";
const secretNamed = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  stringData: { value },
});
const valueIn = (data: Readonly<Record<string, string>> | undefined): string =>
  Buffer.from(data?.value ?? "", "base64").toString();

/** Changes a secret over and over, and reads each change back, until it is stopped. */
function startWriter(client: HttpsClient, name: string) {
  let [isStopped, writes] = [false, 0];
  const failures: string[] = [];
  const call = async (method: string, path: string, body?: object) => {
    const { status, text, body: answer } = await client.call(method, path, { body });
    if (status >= 300) failures.push(`${method} ${path}: ${status} ${text}`);
    return answer;
  };
  const run = async (): Promise<void> => {
    await call("POST", secrets, secretNamed(name, "secret-value-0"));
    while (!isStopped) {
      const value = `secret-value-${++writes}`;
      await call("PUT", `${secrets}/${name}`, secretNamed(name, value));
      const { data } = await call("GET", `${secrets}/${name}`);
      if (valueIn(data) !== value) failures.push(`${name} has ${valueIn(data)}, not ${value}`);
    }
  };
  const running = run();
  return {
    name,
    failures,
    writes: () => writes,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

test("keys rotate while 32 clients write: no request fails, and in the end the old key is not needed", async () => {
  const above = await folder();
  const [dir, path] = [join(above, "data"), join(above, "encryption.yaml")];
  const configure = async (...keys: readonly number[]): Promise<void> => {
    await writeFile(`${path}.new`, configuration(...keys), { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  await configure(1);
  const flags = ["--encryption-provider-config", path];
  const server = await startProcess(dir, {
    flags: [...flags, "--encryption-provider-config-automatic-reload"],
  });
  onTestFinished(() => void server.end("SIGKILL"));
  const pem = (name: string): string => readFileSync(join(dir, "pki", name), "utf8");
  const newClient = (): HttpsClient => {
    const identity = { cert: pem("admin.crt"), key: pem("admin.key") };
    const client = httpsClient(server.port, pem("ca.crt"), identity);
    onTestFinished(() => client.close());
    return client;
  };
  const admin = newClient();
  const idle = Array.from({ length: 20 }, (_, i) => `idle-${i}`);
  for (const name of idle)
    await admin.call("POST", secrets, { body: secretNamed(name, "secret-value-idle") });

  const writers = Array.from({ length: 32 }, (_, i) => startWriter(newClient(), `busy-${i}`));
  /** Waits until each writer has changed its secret once more. */
  const moreWrites = async (): Promise<void> => {
    const before = writers.map(({ writes }) => writes());
    await eventually(() => {
      if (!writers.every(({ writes }, i) => writes() > (before[i] ?? 0) + 1))
        throw new Error("a writer has not written yet");
    });
  };
  const reload = async (count: number, ...keys: readonly number[]): Promise<void> => {
    await configure(...keys);
    const line = new RegExp(`automatic_reloads_total\\{.*status="success"\\} ${count}\n`);
    await eventually(async () => {
      if (!line.test((await admin.call("GET", "/metrics")).text)) throw new Error("no reload");
    });
    await moreWrites();
  };
  const underKeys = async (): Promise<readonly string[]> => {
    const store = await openLmdbStore({
      ...{ path: join(dir, "store"), clock: realClock, readOnly: true },
    });
    const { entries } = await store.list("/registry/secrets/default/");
    await store.close();
    expect(entries).toHaveLength(idle.length + writers.length);
    const prefix = /^k8s:enc:secretbox:v1:(\w+):/;
    const keyOf = (value: Uint8Array) => prefix.exec(Buffer.from(value).toString("latin1"))?.[1];
    return [...new Set(entries.map(({ value }) => keyOf(value) ?? "none"))].sort();
  };

  await moreWrites();
  expect(await underKeys()).toEqual(["key1"]);
  await reload(1, 1, 2);
  expect(await underKeys()).toEqual(["key1"]);
  await reload(2, 2, 1);
  expect(await underKeys()).toEqual(["key1", "key2"]);
  const outcome = await runStore(["reencrypt", "--data-dir", dir, ...flags]);
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  const [, written] = / (\d+) values written\n$/.exec(outcome.stdout) ?? [];
  expect(Number(written)).toBeGreaterThanOrEqual(idle.length);
  expect(await underKeys()).toEqual(["key2"]);
  await reload(3, 2);

  await Promise.all(writers.map((writer) => writer.stop()));
  expect(writers.flatMap(({ failures }) => failures)).toEqual([]);
  for (const { name, writes } of writers) {
    const { body } = await admin.call("GET", `${secrets}/${name}`);
    expect(valueIn(body.data)).toBe(`secret-value-${writes()}`);
  }
  for (const name of idle) {
    const { body } = await admin.call("GET", `${secrets}/${name}`);
    expect(valueIn(body.data)).toBe("secret-value-idle");
  }
  expect(await server.end()).toBe(0);
  // A server that has only the new key reads all of them from its store.
  const again = await startProcess(dir, { flags });
  onTestFinished(() => void again.end("SIGKILL"));
  const reader = httpsClient(again.port, pem("ca.crt"), {
    ...{ cert: pem("admin.crt"), key: pem("admin.key") },
  });
  onTestFinished(() => reader.close());
  const { body } = await reader.call("GET", secrets);
  expect(body.items).toHaveLength(idle.length + writers.length);
  expect(await again.end()).toBe(0);
  expect(await contents(join(dir, "store"))).not.toContain("secret-value-");
}, 300_000);
