import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { RegistryAuth } from "../../../cri/image-service.ts";
import { testFolder } from "../images.test-support.ts";
import { credentialsFor } from "./credentials.ts";
import { dockerConfigAuth, dockerConfigPath } from "./docker-config.ts";

function configFile(config: unknown): string {
  const path = join(testFolder(), "config.json");
  writeFileSync(path, JSON.stringify(config));
  return path;
}

each<[string, unknown, string, unknown]>([
  [
    "docker's own registry",
    { auths: { "https://index.docker.io/v1/": { auth: "YTpi" } } },
    "docker.io",
    { auth: "YTpi" },
  ],
  [
    "a registry by its host",
    { auths: { "a.io:5000": { username: "u", password: "p" } } },
    "a.io:5000",
    { username: "u", password: "p" },
  ],
  [
    "an identity token",
    { auths: { "https://a.io": { identitytoken: "t" } } },
    "a.io",
    { identityToken: "t" },
  ],
  ["another registry", { auths: { "a.io": { auth: "YTpi" } } }, "b.io", undefined],
  ["an empty entry", { auths: { "a.io": {} } }, "a.io", undefined],
  ["no entries", {}, "a.io", undefined],
])("dockerConfigAuth: %s", async (_, config, domain, expected) => {
  expect(await dockerConfigAuth(configFile(config), domain)).toEqual(expected);
});

test("dockerConfigAuth: a helper is asked for the address", async () => {
  const folder = testFolder();
  const helper = join(folder, "docker-credential-wherrytest");
  writeFileSync(
    helper,
    '#!/bin/sh\nread address\ncase "$1 $address" in\n"get a.io") echo \'{"Username":"u","Secret":"s"}\';;\n"get https://index.docker.io/v1/") echo \'{"Username":"<token>","Secret":"t"}\';;\n"get b.io") echo "credentials not found in native keychain"; exit 1;;\n*) echo "broken"; exit 2;;\nesac\n',
  );
  chmodSync(helper, 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${folder}:${path}`;
  onTestFinished(() => {
    process.env.PATH = path;
  });
  const config = configFile({ credsStore: "wherrytest", credHelpers: { "c.io": "wherrymissing" } });
  expect(await dockerConfigAuth(config, "a.io")).toEqual({ username: "u", password: "s" });
  expect(await dockerConfigAuth(config, "docker.io")).toEqual({ identityToken: "t" });
  expect(await dockerConfigAuth(config, "b.io")).toBeUndefined();
  await expect(dockerConfigAuth(config, "d.io")).rejects.toThrow(
    "docker-credential-wherrytest failed: broken",
  );
  await expect(dockerConfigAuth(config, "c.io")).rejects.toThrow(
    "docker-credential-wherrymissing cannot be run",
  );
});

test("dockerConfigAuth: no file, no credentials", async () => {
  expect(
    await dockerConfigAuth(dockerConfigPath({ DOCKER_CONFIG: testFolder() }), "a.io"),
  ).toBeUndefined();
  expect(dockerConfigPath({ HOME: "/home/x" })).toBe("/home/x/.docker/config.json");
});

const none = { username: "", password: "", identityToken: "", registryToken: "" };

each<[RegistryAuth | undefined, string, unknown]>([
  [undefined, "a.io", undefined],
  [{}, "a.io", undefined],
  [{ username: "u", password: "p" }, "a.io", { ...none, username: "u", password: "p" }],
  [
    { auth: Buffer.from("u:p:q\0").toString("base64") },
    "a.io",
    { ...none, username: "u", password: "p:q" },
  ],
  [
    { identityToken: "t", serverAddress: "https://a.io/v1/" },
    "a.io",
    { ...none, identityToken: "t" },
  ],
  [
    { identityToken: "t", serverAddress: "https://index.docker.io/v1/" },
    "registry-1.docker.io",
    { ...none, identityToken: "t" },
  ],
  [{ identityToken: "t", serverAddress: "b.io" }, "a.io", undefined],
])("credentialsFor: %j for %s", (auth, host, expected) => {
  expect(credentialsFor(auth, host)).toEqual(expected);
});
