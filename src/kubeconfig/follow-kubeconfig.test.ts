import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { followKubeconfig } from "./follow-kubeconfig.ts";
import type { HttpsTransportOptions } from "./https-transport.ts";

const pem = (name: string): string =>
  `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;

function kubeconfig(name: string): string {
  const data = Buffer.from(pem(name)).toString("base64");
  return JSON.stringify({
    clusters: [
      { name: "c", cluster: { server: "https://first:6443", "certificate-authority-data": data } },
    ],
    users: [
      {
        name: "u",
        user: { "client-certificate-data": data, "client-key-data": data, token: name },
      },
    ],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

async function followed() {
  const dir = mkdtempSync(join(tmpdir(), "wherry-follow-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "kubeconfig");
  const clock = new VirtualClock();
  const write = (text: string): void => writeFileSync(path, text);
  write(kubeconfig("a"));
  const connection = await followKubeconfig({ path, clock });
  return { connection, clock, write };
}
const seen = async ({ authorities, credentials }: HttpsTransportOptions) => [
  await authorities?.(),
  await credentials?.current(),
];
const contentOf = (name: string) => [
  pem(name),
  { authorization: `Bearer ${name}`, cert: pem(name), key: pem(name) },
];

test("followKubeconfig: replaced authorities and credentials are used a second later", async () => {
  const { connection, clock, write } = await followed();
  expect(await seen(connection)).toEqual(contentOf("a"));
  write(kubeconfig("b"));
  expect(await seen(connection)).toEqual(contentOf("a"));
  await clock.advance(1000);
  expect(await seen(connection)).toEqual(contentOf("b"));
  expect(String(connection.server)).toBe("https://first:6443/");
});

test("followKubeconfig: credentials that were rejected are looked up at once", async () => {
  const { connection, write } = await followed();
  const refused = (await connection.credentials?.current()) ?? {};
  expect(await connection.credentials?.renew(refused)).toBe(false);
  write(kubeconfig("b"));
  expect(await connection.credentials?.renew(refused)).toBe(true);
  expect(await seen(connection)).toEqual(contentOf("b"));
});

test("followKubeconfig: what cannot be used leaves the last good content in use", async () => {
  const { connection, clock, write } = await followed();
  for (const text of ["{", "", kubeconfig("c").replace('"current-context":"x"', '"x":1')]) {
    write(text);
    await clock.advance(1000);
    expect(await seen(connection)).toEqual(contentOf("a"));
  }
  write(kubeconfig("b"));
  await clock.advance(1000);
  expect(await seen(connection)).toEqual(contentOf("b"));
});
