import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { type Log, noLog } from "../../../base/log.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import type { Client } from "../../../client/client.ts";
import type { NodeCredentials } from "../../pod/container/pull-secrets.ts";
import { openCredentialProviders } from "./credential-providers.ts";
import { openNodeCredentials } from "./open-node-credentials.ts";
import type { PluginAccounts } from "./plugin-account.ts";

const pod = {
  metadata: { name: "app", namespace: "default", uid: "1" },
  spec: { serviceAccountName: "builder" },
} as unknown as Pod;

const apiVersion = "credentialprovider.kubelet.k8s.io/v1";
const provider = {
  name: "plugin",
  apiVersion,
  matchImages: ["*.registry.io", "quay.io/org"],
  defaultCacheDuration: "1m",
};

/** A folder with a plugin that appends its request to a file and then runs a script. */
function testPlugin(script: string, changes: object = {}) {
  const binDir = mkdtempSync(join(tmpdir(), "credential-plugin-"));
  onTestFinished(() => rmSync(binDir, { recursive: true }));
  const program = join(binDir, "plugin");
  writeFileSync(program, `#!/bin/sh\ncat >> "${binDir}/requests"\n${script}\n`);
  chmodSync(program, 0o755);
  const config = join(binDir, "config.json");
  writeFileSync(config, JSON.stringify(configOf({ ...provider, ...changes })));
  writeFileSync(join(binDir, "requests"), "");
  const clock = new VirtualClock();
  const failures: string[] = [];
  const log: Log = { ...noLog, error: (_, error) => failures.push(errorMessage(error)) };
  const requests = () =>
    readFileSync(join(binDir, "requests"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { readonly image: string });
  const images = () => requests().map(({ image }) => image);
  return {
    ...{ binDir, config, clock, log, failures, requests, images },
    ...{ accounts: testAccounts(clock), features },
  };
}

const features = new Set(["KubeletServiceAccountTokenForCredentialProviders"]);

/** The service account `builder`, with a token of its own for each pod and five minutes. */
const testAccounts = (clock: VirtualClock): PluginAccounts => ({
  client: {
    async get(_: unknown, { name, namespace }: { name: string; namespace: string }) {
      if (name !== "builder") throw new Error(`serviceaccounts "${name}" not found`);
      return { metadata: { uid: "sa-1", name, namespace, annotations: { role: "r", other: "o" } } };
    },
  } as unknown as Client,
  tokens: {
    async get({ metadata: { uid } }, { audience }) {
      const token = `${audience} ${uid} ${Math.floor(clock.now() / 300_000)}`;
      return { token, renewAt: 0, expirationTimestamp: "" };
    },
  },
});

/** The credentials that a pod gets. */
const authsOf = async (providers: NodeCredentials, image: string, of = pod) =>
  (await providers.forImage(image, of)).map(({ auth }) => auth);

const configOf = (...providers: object[]) => ({
  apiVersion: "kubelet.config.k8s.io/v1",
  kind: "CredentialProviderConfig",
  providers,
});

/** A script that prints a response. */
const responding = (changes: object = {}): string => {
  const auth = { "a.registry.io": { username: "u", password: "p" } };
  const response = { kind: "CredentialProviderResponse", apiVersion, cacheKeyType: "Image", auth };
  return `cat <<'END'\n${JSON.stringify({ ...response, ...changes })}\nEND`;
};

test("a plugin gets the request, its arguments and variables, and gives credentials", async () => {
  const script = `cat <<END
{"kind":"CredentialProviderResponse","apiVersion":"${apiVersion}","cacheKeyType":"Image",
 "auth":{"*.registry.io":{"username":"$1","password":"$2"},"a.registry.io/x":{"username":"$NAME","password":"$HOME"}}}
END`;
  const env = [{ name: "NAME", value: "of the variable" }];
  const world = testPlugin(script, { args: ["one", "two words"], env });
  const providers = await openCredentialProviders(world);
  expect(await authsOf(providers, "a.registry.io/x/app")).toEqual([
    { username: "of the variable", password: process.env.HOME },
    { username: "one", password: "two words" },
  ]);
  expect(world.requests()).toEqual([
    { kind: "CredentialProviderRequest", apiVersion, image: "a.registry.io/x/app" },
  ]);
});

test("a plugin runs for the images that its patterns match only", async () => {
  const world = testPlugin(responding());
  const providers = await openCredentialProviders(world);
  for (const image of ["docker.io/library/nginx", "quay.io/other", "quay.io/org/app"])
    expect(await authsOf(providers, image)).toEqual([]);
  expect(world.images()).toEqual(["quay.io/org/app"]);
});

const [first, sameRegistry, other] = ["a.registry.io/x", "a.registry.io/y", "b.registry.io/z"];
each<[cacheKeyType: string, runs: string[]]>([
  ["Image", [first, sameRegistry, other]],
  ["Registry", [first, other]],
  ["Global", [first]],
])("credentials are cached by %s", async (cacheKeyType, runs) => {
  const world = testPlugin(responding({ cacheKeyType }));
  const providers = await openCredentialProviders(world);
  for (const image of [first, first, sameRegistry, other]) await authsOf(providers, image);
  expect(world.images()).toEqual(runs);
});

each<[name: string, cacheDuration: string | undefined, minutes: number, runs: number]>([
  ["for the default duration", undefined, 0.9, 1],
  ["no longer than the default duration", undefined, 1.1, 2],
  ["for the duration of the response", "10m", 9, 1],
  ["not at all for a duration of 0", "0s", 0, 2],
])("credentials are cached %s", async (_, cacheDuration, minutes, runs) => {
  const world = testPlugin(responding({ cacheDuration }));
  const providers = await openCredentialProviders(world);
  await authsOf(providers, first);
  await world.clock.advance(minutes * 60_000);
  expect(await authsOf(providers, first)).toEqual([{ username: "u", password: "p" }]);
  expect(world.images()).toHaveLength(runs);
});

test("pulls of one image at the same time share a run", async () => {
  const world = testPlugin(responding({ cacheDuration: "0s" }));
  const providers = await openCredentialProviders(world);
  const [one, two] = await Promise.all([authsOf(providers, first), authsOf(providers, first)]);
  expect([one, world.images()]).toEqual([two, [first]]);
});

const failing = `error execing credential provider plugin plugin for image ${first}`;
each<[name: string, script: string, message: string, timeoutMs?: number]>([
  ["fails", "echo no network >&2; exit 3", `${failing}: exit status 3: no network`],
  ["takes too long", "exec sleep 30", `${failing}: The operation was aborted`, 200],
  [
    "prints no JSON",
    "echo secret",
    "error decoding credential provider plugin response from stdout",
  ],
  [
    "responds in another version",
    responding({ apiVersion: "v2" }),
    `apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:v2`,
  ],
  [
    "responds with an unknown field",
    responding({ token: "secret" }),
    "error decoding credential provider plugin response from stdout",
  ],
  [
    "does not say how to cache",
    responding({ cacheKeyType: "" }),
    "credential provider plugin did not return a valid cacheKeyType: ",
  ],
])("a plugin that %s gives no credentials", async (_, script, message, timeoutMs) => {
  const world = testPlugin(script);
  const providers = await openCredentialProviders({ ...world, timeoutMs });
  expect(await authsOf(providers, first)).toEqual([]);
  expect(world.failures).toEqual([expect.stringContaining(message)]);
});

each<[name: string, changes: object, message: string]>([
  [
    "a name with a slash",
    { name: "a/b" },
    `providers.name: Invalid value: "a/b": provider name cannot contain '/'`,
  ],
  ["no version", { apiVersion: "" }, "providers.apiVersion: Required value"],
  [
    "an unknown version",
    { apiVersion: "v9" },
    `providers.apiVersion: Unsupported value: "v9": supported values: "${apiVersion}", "${apiVersion}alpha1", "${apiVersion}beta1"`,
  ],
  [
    "no patterns",
    { matchImages: [] },
    "providers.matchImages: Required value: at least 1 item in matchImages is required",
  ],
  [
    "no duration",
    { defaultCacheDuration: undefined },
    "providers.defaultCacheDuration: Required value",
  ],
  ["a negative duration", { defaultCacheDuration: "-1s" }, "must be greater than or equal to 0"],
  [
    "a typing error",
    { matchImage: [] },
    'strict decoding error: unknown field "providers[0].matchImage"',
  ],
  ["a plugin that is missing", { name: "missing" }, "/missing did not exist"],
])("a configuration with %s is refused", async (_, changes, message) => {
  const opened = openCredentialProviders(testPlugin("", changes)).catch(errorMessage);
  expect(await opened).toContain(message);
});

test("a folder of configurations is read by name, without the same plugin twice", async () => {
  const world = testPlugin(responding());
  const config = mkdtempSync(join(tmpdir(), "credential-config-"));
  onTestFinished(() => rmSync(config, { recursive: true }));
  await expect(openCredentialProviders({ ...world, config })).rejects.toThrow(
    `no configuration files found in directory "${config}"`,
  );
  writeFileSync(join(config, "1.json"), JSON.stringify(configOf(provider)));
  const providers = await openCredentialProviders({ ...world, config });
  expect(await authsOf(providers, first)).toHaveLength(1);
  writeFileSync(join(config, "2.yaml"), JSON.stringify(configOf(provider)));
  await expect(openCredentialProviders({ ...world, config })).rejects.toThrow(
    'duplicate provider name "plugin" found in configuration file(s)',
  );
});

test("docker's configuration of the node comes before plugins, and is read again", async () => {
  const world = testPlugin(responding());
  const rootDir = mkdtempSync(join(tmpdir(), "kubelet-root-"));
  onTestFinished(() => rmSync(rootDir, { recursive: true }));
  const file = (username: string) =>
    JSON.stringify({ auths: { "a.registry.io": { username, password: "p" } } });
  writeFileSync(join(rootDir, ".dockercfg"), "{}");
  writeFileSync(join(rootDir, "config.json"), file("node"));
  const { binDir, config } = world;
  const providers = { binDir, config };
  const node = await openNodeCredentials({ ...world, rootDir, home: rootDir, providers });
  const names = async () => (await authsOf(node, first)).map(({ username }) => username);
  expect(await names()).toEqual(["node", "u"]);
  writeFileSync(join(rootDir, "config.json"), file("changed"));
  expect(await names()).toEqual(["node", "u"]);
  await world.clock.advance(5 * 60_000);
  expect(await names()).toEqual(["changed", "u"]);
});

const tokenAttributes = {
  serviceAccountTokenAudience: "registry",
  cacheType: "ServiceAccount",
  requireServiceAccount: true,
  requiredServiceAccountAnnotationKeys: ["role"],
};
const podOf = (uid: string, serviceAccountName = "builder"): Pod =>
  ({ ...pod, metadata: { ...pod.metadata, uid }, spec: { serviceAccountName } }) as Pod;

test("a plugin gets a token and annotations of the service account, whose credentials they are", async () => {
  const world = testPlugin(responding(), { tokenAttributes });
  const providers = await openCredentialProviders(world);
  const found = await providers.forImage(first, pod);
  const owner = { uid: "sa-1", namespace: "default", name: "builder" };
  expect(found).toEqual([
    { auth: { username: "u", password: "p" }, source: { kind: "ServiceAccount", owner } },
  ]);
  expect(world.requests()).toEqual([
    {
      ...{ kind: "CredentialProviderRequest", apiVersion, image: first },
      serviceAccountToken: "registry 1 0",
      serviceAccountAnnotations: { role: "r" },
    },
  ]);
});

each<[name: string, changes: object, account: string, runs: number, failure?: string]>([
  ["without a service account", {}, "", 0],
  [
    "without one, if it needs none",
    { requireServiceAccount: false, requiredServiceAccountAnnotationKeys: [] },
    "",
    1,
  ],
  [
    "whose account lacks an annotation",
    { requiredServiceAccountAnnotationKeys: ["a"] },
    "builder",
    0,
  ],
  [
    "whose account is gone",
    {},
    "gone",
    0,
    'failed to get service account: serviceaccounts "gone" not found',
  ],
])("a plugin for service accounts and a pod %s", async (_, changes, account, runs, failure) => {
  const world = testPlugin(responding(), { tokenAttributes: { ...tokenAttributes, ...changes } });
  const providers = await openCredentialProviders(world);
  expect(await providers.forImage(first, podOf("1", account))).toHaveLength(runs);
  expect([world.images().length, world.failures]).toEqual([runs, failure ? [failure] : []]);
});

each<[cacheType: string, runs: number]>([
  ["ServiceAccount", 1],
  ["Token", 2],
])("credentials of pods of one service account are cached by %s", async (cacheType, runs) => {
  const world = testPlugin(responding(), {
    tokenAttributes: { ...tokenAttributes, cacheType },
    defaultCacheDuration: "1h",
  });
  const providers = await openCredentialProviders(world);
  for (const uid of ["1", "2", "1"]) await providers.forImage(first, podOf(uid));
  expect(world.images()).toHaveLength(runs);
});

test("a plugin that returns the token must cache by token", async () => {
  const auth = { "a.registry.io": { username: "u", password: "registry 1 0" } };
  for (const [cacheType, count] of [
    ["ServiceAccount", 0],
    ["Token", 1],
  ] as const) {
    const world = testPlugin(responding({ auth }), {
      tokenAttributes: { ...tokenAttributes, cacheType },
    });
    const providers = await openCredentialProviders(world);
    expect(await providers.forImage(first, pod)).toHaveLength(count);
    if (count === 0) expect(world.failures.join()).toContain("returned the service account token");
  }
});
