import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { ApiServerOptions } from "../server-options.ts";

const clock = new VirtualClock();
const pods = "/api/v1/namespaces/default/pods";
const noAccount = { admission: { disable: ["ServiceAccount"] } };

async function opened(options: Partial<ApiServerOptions> = {}, store = new MemoryStore(clock)) {
  const server = await openServer(clock, store, { ...noAccount, ...options });
  onTestFinished(() => server.close());
  return async (method: string, path: string, body: object) => {
    const { status, text } = await send(server, {
      method,
      path,
      body,
      headers: { "content-type": "application/json" },
    });
    return { code: status, message: (JSON.parse(text) as { message?: string }).message };
  };
}

const container = (securityContext: object = {}) => ({
  name: "c",
  image: "i",
  terminationMessagePolicy: "File",
  securityContext,
});
const podOf = (spec: object, name = "p") => ({ metadata: { name }, spec });
const privileged = { containers: [container({ privileged: true })] };
const refused = "Forbidden: disallowed by cluster policy";

test("privileged containers: are allowed by default", async () => {
  const call = await opened();
  expect((await call("POST", pods, podOf(privileged))).code).toBe(201);
});

test("privileged containers: if they are disallowed, a pod that has one is invalid", async () => {
  const call = await opened({ allowPrivileged: false });
  expect(await call("POST", pods, podOf(privileged))).toMatchObject({
    code: 422,
    message: `Pod "p" is invalid: spec.containers[0].securityContext.privileged: ${refused}`,
  });
  const init = {
    containers: [container()],
    initContainers: [{ ...container({ privileged: true }), name: "d" }],
  };
  expect((await call("POST", pods, podOf(init))).message).toBe(
    `Pod "p" is invalid: spec.initContainers[0].securityContext.privileged: ${refused}`,
  );
  const said = { containers: [container({ privileged: false })] };
  expect((await call("POST", pods, podOf(said))).code).toBe(201);
  const debugging = { ephemeralContainers: [{ ...container({ privileged: true }), name: "d" }] };
  const ephemeral = await call("PUT", `${pods}/p/ephemeralcontainers`, {
    ...podOf({ ...said, ...debugging }),
  });
  expect(ephemeral.message).toContain(
    `spec.ephemeralContainers[0].securityContext.privileged: ${refused}`,
  );
});

test("privileged containers: so are templates of pods, and processes of Windows' nodes", async () => {
  const call = await opened({ allowPrivileged: false });
  const labels = { a: "b" };
  const deployment = {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: privileged },
    },
  };
  expect(
    (await call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment)).message,
  ).toBe(
    `Deployment.apps "d" is invalid: spec.template.spec.containers[0].securityContext.privileged: ${refused}`,
  );
  const windows = {
    hostNetwork: true,
    os: { name: "windows" },
    securityContext: { windowsOptions: { hostProcess: true } },
    containers: [{ name: "c", image: "i" }],
  };
  expect((await call("POST", pods, podOf(windows))).message).toBe(
    'Pod "p" is invalid: spec: Forbidden: hostProcess containers are disallowed by cluster policy',
  );
});

test("privileged containers: a stateful set that has one from before can still be changed", async () => {
  const store = new MemoryStore(clock);
  const before = await opened({}, store);
  const labels = { a: "b" };
  const set = {
    metadata: { name: "s" },
    spec: {
      serviceName: "s",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: privileged },
    },
  };
  const path = "/apis/apps/v1/namespaces/default/statefulsets";
  expect((await before("POST", path, set)).code).toBe(201);
  const call = await opened({ allowPrivileged: false }, store);
  const more = { ...set, spec: { ...set.spec, replicas: 3 } };
  expect((await call("PUT", `${path}/s`, more)).code).toBe(200);
  expect((await call("POST", path, { ...set, metadata: { name: "t" } })).code).toBe(422);
});
