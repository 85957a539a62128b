import { expect, test } from "vitest";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { noLog } from "../../../../base/log.ts";
import { VirtualClock } from "../../../../base/virtual-clock.ts";
import type { Client } from "../../../../client/client.ts";
import { serviceAccountTokens } from "./service-account-tokens.ts";

const pod = {
  metadata: { name: "p", namespace: "n", uid: "u" },
  spec: { serviceAccountName: "robot" },
} as unknown as Pod;
const hour = 3_600_000;

/** A server that counts the tokens it issues, and the time at which each was requested, in minutes. */
function world() {
  const clock = new VirtualClock(0);
  const requests: object[] = [];
  let isDown = false;
  const client = {
    subresource: (_: unknown, key: object, name: string) => ({
      async create(_kind: unknown, { spec }: { spec: { expirationSeconds: number } }) {
        if (isDown) throw new Error("no route");
        requests.push({ key, name, spec });
        const expiresAt = clock.now() + spec.expirationSeconds * 1000;
        const expirationTimestamp = new Date(expiresAt).toISOString();
        return { spec, status: { token: `token-${requests.length}`, expirationTimestamp } };
      },
    }),
  } as unknown as Client;
  const tokens = serviceAccountTokens({ client, clock, random: { next: () => 0.5 }, log: noLog });
  const get = (expirationSeconds: number, audience?: string) =>
    tokens.get(pod, { expirationSeconds, audience });
  const advance = (ms: number) => clock.advance(ms);
  return {
    ...{ tokens, requests, get, advance },
    setDown(down: boolean): void {
      isDown = down;
    },
  };
}

test("tokens: are bound to the pod and requested once", async () => {
  const { requests, get, tokens } = world();
  expect(await get(3600)).toMatchObject({ token: "token-1", renewAt: 0.8 * hour - 5000 });
  expect(await get(3600)).toMatchObject({ token: "token-1" });
  expect(await get(3600, "vault")).toMatchObject({ token: "token-2" });
  expect(await get(600)).toMatchObject({ token: "token-3" });
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  expect(requests.slice(0, 2)).toEqual([
    {
      key: { name: "robot", namespace: "n" },
      name: "token",
      spec: { audiences: [], expirationSeconds: 3600, boundObjectRef },
    },
    expect.objectContaining({
      spec: { audiences: ["vault"], expirationSeconds: 3600, boundObjectRef },
    }),
  ]);
  tokens.forget("u");
  expect(await get(3600)).toMatchObject({ token: "token-4" });
});

test("tokens: are renewed after four fifths of their life, or a day", async () => {
  const { get, advance } = world();
  const { renewAt } = await get(3600);
  await advance(renewAt - 1);
  expect(await get(3600)).toMatchObject({ token: "token-1" });
  await advance(1);
  expect(await get(3600)).toMatchObject({ token: "token-2" });
  const long = await get(30 * 24 * 3600);
  expect(long.renewAt - renewAt).toBe(24 * hour - 5000);
});

test("tokens: an old one is used until it expires", async () => {
  const { get, advance, setDown } = world();
  setDown(true);
  await expect(get(600)).rejects.toThrow("failed to fetch token: no route");
  setDown(false);
  await get(600);
  setDown(true);
  await advance(500_000);
  expect(await get(600)).toMatchObject({ token: "token-1", expiresAt: 600_000, renewAt: 560_000 });
  await advance(101_000);
  await expect(get(600)).rejects.toThrow("token /600 expired and refresh failed: no route");
});
