import { expect, test } from "vitest";
import { authority } from "../../api/certificates/x509/fixtures.test-support.ts";
import { certificatePem, openCluster } from "./cluster.test-support.ts";

const maps = "/api/v1/namespaces/kube-system/configmaps";
const authentication = `${maps}/extension-apiserver-authentication`;
const tracking = `${maps}/kube-apiserver-legacy-service-account-token-tracking`;
const clientCa = certificatePem(authority);
const data = { "client-ca-file": clientCa };

test("config maps of the system: a new cluster has them", async () => {
  const cluster = await openCluster({ clusterAuthentication: { clientCa } });
  expect((await cluster.ask(authentication)).body.data).toEqual(data);
  expect((await cluster.ask(tracking)).body).toMatchObject({
    metadata: { managedFields: [{ manager: "kube-apiserver", operation: "Update" }] },
    data: { since: "2026-01-01" },
  });
});

test("config maps of the system: there is none if no authentication is configured", async () => {
  const cluster = await openCluster();
  expect((await cluster.ask(authentication)).status).toEqual(404);
});

test("config maps of the system: the server's own settings are restored, other keys are removed", async () => {
  const cluster = await openCluster({ clusterAuthentication: { clientCa } });
  await cluster.remove(authentication);
  await cluster.until(authentication, ({ status }) => status === 200);
  await cluster.merge(authentication, { data: { "client-ca-file": null, mine: "x" } });
  const { body } = await cluster.until(authentication, (answer) => !answer.body.data.mine);
  expect(body.data).toEqual(data);
});

test("config maps of the system: an invalid day since which tokens are tracked is corrected", async () => {
  const cluster = await openCluster();
  for (const since of ["yesterday", "2025-13-01"]) {
    await cluster.merge(tracking, { data: { since } });
    await cluster.until(tracking, ({ body }) => body.data.since === "2026-01-01");
  }
  await cluster.merge(tracking, { data: { since: "2020-02-29" } });
  await cluster.settle();
  expect((await cluster.ask(tracking)).body.data.since).toEqual("2020-02-29");
});

test("config maps of the system: the one of tokens is not created twice within half an hour", async () => {
  const cluster = await openCluster();
  const { clock } = cluster;
  await clock.advance(10 * 60_000);
  await cluster.remove(tracking);
  await clock.advance(20 * 60_000 - 1);
  expect((await cluster.ask(tracking)).status).toEqual(404);
  await clock.advance(1);
  expect((await cluster.ask(tracking)).status).toEqual(200);
});
