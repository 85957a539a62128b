import { afterEach, beforeEach, expect, test } from "vitest";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { decodeBase64 } from "../../base/base64.ts";
import {
  type SettableValue,
  settableValue,
} from "../../controller-runtime/reconcile/changing-value.ts";
import { parseJwt } from "../../schema/values/jwt.ts";
import { testTokenIssuer } from "../../testing/test-token-issuer.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { serviceAccountTokenModule } from "./service-account-token-module.ts";

let cluster: RunningCluster;
let value: SettableValue<string>;
beforeEach(async () => {
  value = settableValue("certificates");
  const { signer } = testTokenIssuer();
  const inputs = { tokenSigner: signer, rootCa: value };
  cluster = await runningCluster(...partsOf(serviceAccountTokenModule, { inputs }));
});
afterEach(() => cluster.end());

const type = "kubernetes.io/service-account-token";
const secretOf = (account: string) => ({
  metadata: {
    name: "token",
    namespace: "default",
    annotations: { "kubernetes.io/service-account.name": account },
  },
  type,
});
const place = { name: "token", namespace: "default" };
const secrets = async () =>
  (await cluster.client.list(Secret, { namespace: "default" })).items.filter(
    (secret) => secret.type === type,
  );
const text = (value = ""): string => new TextDecoder().decode(decodeBase64(value));

test("a token secret gets a token that the API server accepts", async () => {
  const account = await cluster.client.create(ServiceAccount, { metadata: { name: "robot" } });
  await cluster.client.create(Secret, secretOf("robot"));
  await cluster.settled();
  const { data = {}, metadata } = await cluster.client.get(Secret, place);
  expect(text(data["ca.crt"])).toBe("certificates");
  expect(text(data.namespace)).toBe("default");
  expect(metadata.annotations?.["kubernetes.io/service-account.uid"]).toBe(account.metadata.uid);
  const token = text(data.token);
  expect(parseJwt(token)?.claims).toEqual({
    iss: "kubernetes/serviceaccount",
    "kubernetes.io/serviceaccount/namespace": "default",
    "kubernetes.io/serviceaccount/secret.name": "token",
    "kubernetes.io/serviceaccount/service-account.name": "robot",
    "kubernetes.io/serviceaccount/service-account.uid": account.metadata.uid,
    sub: "system:serviceaccount:default:robot",
  });
  expect(await whoIs(token)).toBe("system:serviceaccount:default:robot");
  const used = await cluster.client.get(Secret, place);
  expect(used.metadata.labels).toEqual({ "kubernetes.io/legacy-token-last-used": "2026-01-01" });
});

test("other certificates of the server are written to the secrets, whose tokens stay", async () => {
  await cluster.client.create(ServiceAccount, { metadata: { name: "robot" } });
  await cluster.client.create(Secret, secretOf("robot"));
  await cluster.settled();
  const before = await cluster.client.get(Secret, place);
  value.set("others");
  await cluster.settled();
  const { data = {} } = await cluster.client.get(Secret, place);
  expect([text(data["ca.crt"]), data.token]).toEqual(["others", before.data?.token]);
});

async function whoIs(token: string): Promise<string> {
  const response = await cluster.client.raw({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } },
  });
  const { status } = (await response.value()) as {
    status: { user?: { username?: string }; error?: string };
  };
  return status.user?.username ?? status.error ?? "";
}

test("a token is valid as long as its secret contains it", async () => {
  await cluster.client.create(ServiceAccount, { metadata: { name: "robot" } });
  await cluster.client.create(Secret, secretOf("robot"));
  await cluster.settled();
  const token = text((await cluster.client.get(Secret, place)).data?.token);
  const labels = { "kubernetes.io/legacy-token-invalid-since": "2025-12-31" };
  await cluster.client.patch(Secret, place, { merge: { metadata: { labels } } });
  expect(await whoIs(token)).toMatch(
    /^\[invalid bearer token, the token in secret default\/token .* has been marked invalid/,
  );
  await cluster.client.patch(Secret, place, { merge: { metadata: { labels: null } } });
  await cluster.client.patch(Secret, place, { merge: { data: { token: "b3RoZXI=" } } });
  expect(await whoIs(token)).toBe("[invalid bearer token, Token does not match server's copy]");
  await cluster.client.delete(Secret, place);
  expect(await whoIs(token)).toBe("[invalid bearer token, Token has been invalidated]");
});

test("removed parts of a token secret are added again", async () => {
  await cluster.client.create(ServiceAccount, { metadata: { name: "robot" } });
  await cluster.client.create(Secret, secretOf("robot"));
  await cluster.settled();
  const before = await cluster.client.get(Secret, place);
  await cluster.client.patch(Secret, place, {
    merge: { data: { "ca.crt": null, namespace: null } },
  });
  await cluster.settled();
  expect((await cluster.client.get(Secret, place)).data).toEqual(before.data);
});

test("a token secret of a missing account is deleted", async () => {
  await cluster.client.create(Secret, secretOf("nobody"));
  await cluster.settled();
  expect(await secrets()).toEqual([]);
});

test("a token secret is deleted with its account", async () => {
  await cluster.client.create(ServiceAccount, { metadata: { name: "robot" } });
  await cluster.client.create(Secret, secretOf("robot"));
  await cluster.settled();
  expect(await secrets()).toHaveLength(1);
  await cluster.client.delete(ServiceAccount, { name: "robot" });
  await cluster.settled();
  expect(await secrets()).toEqual([]);
});

test("a deleted secret is removed from the list of its account", async () => {
  await cluster.client.create(ServiceAccount, {
    metadata: { name: "robot" },
    secrets: [{ name: "other" }, { name: "token" }],
  });
  await cluster.client.create(Secret, secretOf("robot"));
  await cluster.settled();
  await cluster.client.delete(Secret, place);
  await cluster.settled();
  const robot = await cluster.client.get(ServiceAccount, { name: "robot" });
  expect(robot.secrets).toEqual([{ name: "other" }]);
});

test("a secret that was replaced by another of its name is removed from the list of its account", async () => {
  await cluster.client.create(ServiceAccount, {
    metadata: { name: "robot" },
    secrets: [{ name: "token" }],
  });
  await cluster.client.create(Secret, secretOf("robot"));
  await cluster.settled();
  await cluster.client.delete(Secret, place);
  await cluster.client.create(Secret, secretOf("robot"));
  await cluster.settled();
  const robot = await cluster.client.get(ServiceAccount, { name: "robot" });
  expect(robot.secrets).toBeUndefined();
  expect(await secrets()).toHaveLength(1);
});
