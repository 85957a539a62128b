import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask, startWith, testDir } from "../../../../test/support/apiserver.test-support.ts";
import { startOptions } from "./apiserver-options.ts";
import { givenFlags } from "./flags/given-flags.test-support.ts";

const optionsOf = (...args: readonly string[]) =>
  startOptions(givenFlags(["--data-dir=/d", ...args]));

test("startOptions: without flags, the options are upstream's defaults or ours", async () => {
  expect(await optionsOf()).toMatchObject({
    dir: "/d",
    host: "127.0.0.1",
    port: 6443,
    serviceRange: "10.0.0.0/24",
    http: { http2: true },
    serving: { named: [], protocol: { minVersion: "TLSv1.2" } },
    core: {
      anonymousAuth: true,
      maxInFlight: { reading: 400, writing: 200 },
      priorityAndFairness: true,
      requestTimeoutMs: 60_000,
      minRequestTimeoutMs: 1_800_000,
      eventTtlMs: 3_600_000,
      nodePortRange: { first: 30000, last: 32767 },
      kubernetesServiceNodePort: 0,
      admission: { enable: [], disable: [] },
      shutdownDelayMs: 0,
      compactionIntervalMs: 300_000,
      flags: { "data-dir": "/d", "secure-port": "6443", "authorization-mode": "[Node,RBAC]" },
    },
    authorization: { file: "", modes: ["Node", "RBAC"] },
    log: { level: "info", format: "" },
    warnings: [],
  });
});

test("startOptions: the data directory is below --cert-dir if only that is given", async () => {
  const dirOf = async (...args: readonly string[]) => (await startOptions(givenFlags(args))).dir;
  expect(await dirOf("--cert-dir=/c")).toBe("/c/wherry");
  expect(await dirOf("--cert-dir=/c", "--data-dir=/d")).toBe("/d");
});

test("startOptions: --version sets the version that is reported", async () => {
  const { core } = await optionsOf("--version=v1.36.0-custom");
  expect(core?.version).toMatchObject({ minor: "36", gitVersion: "v1.36.0-custom" });
});

test("startOptions: each flag sets its option", async () => {
  const { http, ...options } = await optionsOf(
    ...["--max-requests-inflight=1", "--max-mutating-requests-inflight=2", "--event-ttl=1m"],
    ...["--request-timeout=3s", "--min-request-timeout=4", "--shutdown-delay-duration=5s"],
    ...["--kubernetes-service-node-port=40001"],
    ...["--service-node-port-range=40000+9", "--etcd-compaction-interval=0", "-v=4"],
    ...["--shutdown-send-retry-after", "--default-not-ready-toleration-seconds=8"],
    ...["--goaway-chance=0.02", "--http2-max-streams-per-connection=7", "--logging-format=json"],
    ...[
      "--admission-control=LimitRanger,PodSecurity",
      "--feature-gates=WatchList=false,MaxUnavailableStatefulSet=true",
    ],
    ...["--kubelet-timeout=9s", "--kubelet-preferred-address-types=InternalIP"],
    ...["--service-account-max-token-expiration=2h", "--service-account-jwks-uri=https://k"],
    ...["--authorization-mode=AlwaysAllow", "--cors-allowed-origins=^a$"],
  );
  expect(options).toMatchObject({
    core: {
      anonymousAuth: false,
      maxInFlight: { reading: 1, writing: 2 },
      requestTimeoutMs: 3000,
      minRequestTimeoutMs: 4000,
      eventTtlMs: 60_000,
      nodePortRange: { first: 40000, last: 40009 },
      kubernetesServiceNodePort: 40_001,
      shutdownDelayMs: 5000,
      shutdownSendRetryAfter: true,
      compactionIntervalMs: 0,
      corsAllowedOrigins: ["^a$"],
      kubelet: { preferredAddressTypes: ["InternalIP"], timeout: 9000 },
      admission: {
        enable: ["LimitRanger", "PodSecurity"],
        disable: expect.arrayContaining(["AlwaysAdmit", "ServiceAccount", "ResourceQuota"]),
        configuration: { DefaultTolerationSeconds: { notReady: 8, unreachable: 300 } },
      },
    },
    authorization: { modes: ["AlwaysAllow"] },
    tokens: { maxSeconds: 7200, keysUrl: "https://k", extendsPodTokens: true },
    log: { level: "debug", format: "json" },
    warnings: [
      "feature gate WatchList has no effect here",
      expect.stringMatching(/^AnonymousAuth is not allowed with the AlwaysAllow authorizer\./),
    ],
  });
  expect([http?.limits, typeof http?.goaway]).toEqual([{ streamsPerConnection: 7 }, "function"]);
});

test("startOptions: reports all problems, also of feature gates and API versions", async () => {
  const args = ["--secure-port=-1", "--feature-gates=Nope=true", "--runtime-config=x"];
  await expect(optionsOf(...args)).rejects.toMatchObject({
    problems: [
      "--secure-port -1 must be between 1 and 65535, inclusive. It cannot be turned off with 0",
      "runtime-config invalid key x",
      "unrecognized feature gate: Nope",
    ],
  });
});

const modes: [mode: string, statuses: number[]][] = [
  ["AlwaysAllow", [200, 200, 401]],
  ["AlwaysDeny", [403, 403, 403]],
  ["ABAC", [200, 403, 403]],
];
test.each(modes)(
  "--authorization-mode=%s: jane, joe and anonymous users",
  async (mode, statuses) => {
    const dir = testDir();
    const tokens = join(dir, "tokens.csv");
    writeFileSync(tokens, "janes-token,jane,1\njoes-token,joe,2\n");
    const policies = join(dir, "policies.jsonl");
    writeFileSync(policies, '{"user":"jane","resource":"nodes","readonly":true}\n');
    const server = await startWith(
      dir,
      ...["--token-auth-file", tokens, `--authorization-mode=${mode}`],
      ...(mode === "ABAC" ? ["--authorization-policy-file", policies] : []),
    );
    const credentials = ["Bearer janes-token", "Bearer joes-token", undefined];
    const asked = credentials.map(async (authorization) => {
      const headers = authorization === undefined ? {} : { authorization };
      return (await ask(server, "/api/v1/nodes", { headers })).status;
    });
    expect(await Promise.all(asked)).toEqual(statuses);
    const admin = {
      cert: readFileSync(join(server.dir, "pki/admin.crt")),
      key: readFileSync(join(server.dir, "pki/admin.key")),
    };
    expect((await ask(server, "/api/v1/nodes", admin)).status).toBe(200);
  },
);
