import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../test/each.ts";
import { errorMessage } from "../../base/error-message.ts";
import { noLog } from "../../base/log.ts";
import { realClock } from "../../platform/real-clock.ts";
import { parseJwt } from "../../schema/values/jwt.ts";
import { serveTestSigner, type TestSigner } from "./external-signer.test-support.ts";
import { openExternalSigner } from "./external-signer.ts";

async function served(): Promise<{ readonly signer: TestSigner; readonly path: string }> {
  const path = join(await mkdtemp(join(tmpdir(), "signer-")), "signer.sock");
  const signer = await serveTestSigner(path);
  onTestFinished(() => signer.close());
  return { signer, path };
}

async function opened(path: string) {
  const external = await openExternalSigner(path, { clock: realClock, log: noLog });
  onTestFinished(() => external.close());
  return external;
}

test("external signer: its tokens are verified by its keys", async () => {
  const { path } = await served();
  const external = await opened(path);
  const jwt = parseJwt(await external.sign({ sub: "a" }));
  if (!jwt) throw new Error("no token");
  const [key] = external.keys;
  expect([jwt.header, jwt.claims, external.maxSeconds, key?.algorithm]).toEqual([
    { alg: "ES256", kid: "k1", typ: "JWT" },
    { sub: "a" },
    7200,
    "ES256",
  ]);
  expect(key?.verify(jwt.signed, jwt.signature)).toBe(true);
  expect(external.keysAgeSeconds()).toBeGreaterThan(50);
});

test("external signer: new keys are fetched when they are needed, once for many", async () => {
  const { signer, path } = await served();
  const external = await opened(path);
  signer.rotate("k2");
  signer.unpublished.add("k1");
  const before = external.keys;
  await Promise.all([external.refresh(), external.refresh()]);
  expect(external.keys.map(({ id, isUnpublished = false }) => [id, isUnpublished])).toEqual([
    ["k1", true],
    ["k2", false],
  ]);
  expect(signer.calls.fetch).toBe(2);
  expect(external.keys).not.toBe(before);
  const same = external.keys;
  await external.refresh();
  expect(external.keys).toBe(same);
});

test("external signer: keys stay in use while it is away", async () => {
  const { signer, path } = await served();
  const external = await opened(path);
  await signer.close();
  await external.refresh();
  expect(external.keys.map(({ id }) => id)).toEqual(["k1"]);
  await expect(external.sign({})).rejects.toThrow("while signing jwt");
});

each<[what: string, header: object, fault: string]>([
  ["no type", { typ: "JOSE" }, "bad type"],
  ["no key", { kid: "" }, "key id missing"],
  ["an algorithm that others could forge", { alg: "none" }, 'bad signing algorithm "none"'],
  [
    "more than it may say",
    { crit: ["x"] },
    'while parsing header JSON: json: unknown field "crit"',
  ],
  [
    "a key that is not published",
    { kid: "old" },
    "key used for signing JWT (kid: old) is excluded from OIDC discovery docs",
  ],
])("external signer: a header with %s is refused", async (_, header, fault) => {
  const { signer, path } = await served();
  signer.rotate("old");
  signer.unpublished.add("old");
  const external = await opened(path);
  signer.header = header;
  await expect(external.sign({})).rejects.toThrow(`while validating header: ${fault}`);
});

each<
  [what: string, change: Partial<Pick<TestSigner, "maxSeconds" | "refreshSeconds">>, fault: string]
>([
  [
    "a lifetime that is too short",
    { maxSeconds: 60 },
    "max token life supported by external-jwt-signer (60s) is less than acceptable (min 600s)",
  ],
  [
    "no time to refresh",
    { refreshSeconds: 0 },
    "while initially filling key cache: while fetching token verification keys: found invalid refresh hint (0s)",
  ],
])("external signer: %s is refused", async (_, change, fault) => {
  const { signer, path } = await served();
  Object.assign(signer, change);
  const message = await opened(path).then(() => "", errorMessage);
  expect(message).toBe(`while setting up external-jwt-signer: ${fault}`);
});
