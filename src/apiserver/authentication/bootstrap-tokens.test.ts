import { expect, test } from "vitest";
import { send } from "../in-process.test-support.ts";
import { openTokenServer } from "./token-server.test-support.ts";

const secrets = "/api/v1/namespaces/kube-system/secrets";
const token = "abcdef.0123456789abcdef";
const type = "bootstrap.kubernetes.io/token";
const good = {
  "token-id": "abcdef",
  "token-secret": "0123456789abcdef",
  "usage-bootstrap-authentication": "true",
};
const secret = (stringData: object, more: object = {}) => ({
  metadata: { name: "bootstrap-token-abcdef" },
  type,
  stringData,
  ...more,
});

const cases: [what: string, secret: object, groups: string[] | undefined][] = [
  ["for authentication", secret(good), ["system:bootstrappers"]],
  [
    "with more groups",
    secret({ ...good, "auth-extra-groups": "system:bootstrappers:z,system:bootstrappers:a:b" }),
    ["system:bootstrappers", "system:bootstrappers:a:b", "system:bootstrappers:z"],
  ],
  [
    "with a later end",
    secret({ ...good, expiration: "2026-01-01T00:00:01Z" }),
    ["system:bootstrappers"],
  ],
  ["that has ended", secret({ ...good, expiration: "2026-01-01T00:00:00Z" }), undefined],
  ["with an end that is no time", secret({ ...good, expiration: "soon" }), undefined],
  [
    "with a group that is not its own",
    secret({ ...good, "auth-extra-groups": "system:masters" }),
    undefined,
  ],
  ["for other uses", secret({ ...good, "usage-bootstrap-authentication": "1" }), undefined],
  ["of another id", secret({ ...good, "token-id": "abcdee" }), undefined],
  ["of another secret", secret({ ...good, "token-secret": "0123456789abcdee" }), undefined],
  ["of another type", secret(good, { type: "Opaque" }), undefined],
];
test.each(cases)("a bootstrap token %s", async (_, body, groups) => {
  const { create, show, logged } = await openTokenServer({ bootstrapTokens: true });
  await create(secrets, body);
  const { status, body: answer } = await show(token);
  expect([status, answer.status.userInfo]).toEqual(
    groups
      ? [201, { username: "system:bootstrap:abcdef", groups: [...groups, "system:authenticated"] }]
      : [401, undefined],
  );
  expect(JSON.stringify(logged)).not.toContain("0123456789abcdef");
});

test("a bootstrap token counts only where that is wanted, and until its secret is deleted", async () => {
  const unwanted = await openTokenServer();
  await unwanted.create(secrets, secret(good));
  expect((await unwanted.show(token)).status).toBe(401);

  const { create, show, server } = await openTokenServer({ bootstrapTokens: true });
  expect((await show(token)).status).toBe(401);
  const held = { metadata: { name: "bootstrap-token-abcdef", finalizers: ["example.com/x"] } };
  await create(secrets, secret(good, held));
  expect((await show(token)).status).toBe(201);
  await send(server, { method: "DELETE", path: `${secrets}/bootstrap-token-abcdef` });
  expect((await show(token)).status).toBe(401);
});
