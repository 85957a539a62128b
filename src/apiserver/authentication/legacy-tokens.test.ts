import { expect, test } from "vitest";
import { legacyClaims } from "../../api/core/v1/service-account-token-secret.ts";
import { encodeBase64 } from "../../base/base64.ts";
import { writeJwt } from "../../schema/values/jwt.ts";
import { send } from "../in-process.test-support.ts";
import { key, openTokenServer } from "./token-server.test-support.ts";

const secrets = "/api/v1/namespaces/default/secrets";
const account = "/api/v1/namespaces/default/serviceaccounts/robot";
const warning =
  '299 - "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."';

/** A server with a token of the robot in a secret. */
async function opened() {
  const { server, robot, create } = await openTokenServer();
  const token = writeJwt(key, legacyClaims(robot, "kept"));
  await create(secrets, {
    metadata: {
      name: "kept",
      annotations: {
        "kubernetes.io/service-account.name": "robot",
        "kubernetes.io/service-account.uid": robot.metadata.uid,
      },
    },
    type: "kubernetes.io/service-account-token",
    data: { token: encodeBase64(new TextEncoder().encode(token)) },
  });
  const merge = (path: string, body: object) =>
    send(server, {
      ...{ method: "PATCH", path, body },
      headers: { "content-type": "application/merge-patch+json" },
    });
  const use = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const request = { path: "/version", headers, peer: nobody };
    const { status, headers: given } = await send(server, request);
    return { status, warning: given.warning };
  };
  const counted = async () => {
    const { text } = await send(server, { path: "/metrics" });
    const lines = text.matchAll(/^serviceaccount_(\w*legacy\w*)_total (\d+)$/gm);
    return Object.fromEntries(Array.from(lines, ([, name, count]) => [name, Number(count)]));
  };
  return { merge, use, counted };
}

/** A certificate that is no client's, so that the token counts. */
const nobody = { commonName: "", organizations: [], proxy: "alone" } as const;

test("legacy tokens: one that was created by hand is used without a warning", async () => {
  const { use, counted } = await opened();
  expect(await use()).toEqual({ status: 200, warning: undefined });
  expect(await counted()).toEqual({
    ...{ legacy_tokens: 1, legacy_manual_token_uses: 1 },
    ...{ legacy_auto_token_uses: 0, invalid_legacy_auto_token_uses: 0 },
  });
});

test("legacy tokens: those who use a generated one are warned", async () => {
  const { merge, use, counted } = await opened();
  await merge(account, { secrets: [{ name: "kept" }] });
  expect((await use()).warning).toEqual(expect.arrayContaining([warning]));
  expect(await counted()).toMatchObject({ legacy_tokens: 1, legacy_auto_token_uses: 1 });
});

test("legacy tokens: one that is marked as invalid is refused", async () => {
  const { merge, use, counted } = await opened();
  const labels = { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" };
  await merge(`${secrets}/kept`, { metadata: { labels } });
  expect(await use()).toEqual({ status: 401, warning: undefined });
  expect(await counted()).toMatchObject({ legacy_tokens: 1, invalid_legacy_auto_token_uses: 1 });
});
