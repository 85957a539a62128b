import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { selfSigned } from "../../../platform/pki/self-signed.ts";
import { testFolder, testImages } from "../images.test-support.ts";
import { buildImage, tarOf } from "../oci-image.test-support.ts";
import { startRegistry } from "../test-registry.test-support.ts";
import { registryHosts } from "./registry-hosts.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = testFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const all = new Set(["pull", "resolve", "push"]);

each<[string, string, Readonly<Record<string, string>>, unknown]>([
  [
    "docker's own",
    "docker.io",
    {},
    [{ base: "https://registry-1.docker.io/v2", capabilities: all, hasHttpFallback: false }],
  ],
  ["another", "quay.io", {}, [{ base: "https://quay.io/v2", hasHttpFallback: false }]],
  [
    "this machine",
    "localhost:5000",
    {},
    [{ base: "https://localhost:5000/v2", hasHttpFallback: true, tls: { skipVerify: true } }],
  ],
  [
    "mirrors, then the server",
    "docker.io",
    {
      "docker.io/hosts.toml": `server = "https://upstream.io"
        [host."https://one.io"]
          capabilities = ["pull"]
        [host."http://two.io:8080/prefix"]
          skip_verify = true
          [host."http://two.io:8080/prefix".header]
            x = "1"
        [host."https://three.io/whole"]
          override_path = true`,
    },
    [
      { base: "https://one.io/v2", capabilities: new Set(["pull"]) },
      {
        base: "http://two.io:8080/prefix/v2",
        capabilities: all,
        tls: { skipVerify: true },
        headers: { x: "1" },
      },
      { base: "https://three.io/whole" },
      { base: "https://upstream.io/v2" },
    ],
  ],
  [
    "a folder that names the port",
    "a.io:5000",
    {
      "a.io_5000_/hosts.toml": 'server = "http://x.io"',
      "_default/hosts.toml": 'server = "http://y.io"',
    },
    [{ base: "http://x.io/v2" }],
  ],
  [
    "the default folder",
    "b.io",
    { "_default/hosts.toml": '[host."http://m.io"]' },
    [{ base: "http://m.io/v2" }, { base: "https://b.io/v2" }],
  ],
  [
    "certificates",
    "c.io",
    {
      "c.io/hosts.toml": 'ca = "ca.pem"\nclient = [["c.pem", "k.pem"]]',
      "c.io/ca.pem": "A",
      "c.io/c.pem": "C",
      "c.io/k.pem": "K",
    },
    [{ base: "https://c.io/v2", tls: { ca: ["A"], cert: "C", key: "K" } }],
  ],
  [
    "docker's certificates",
    "d.io",
    { "d.io/ca.crt": "A", "d.io/me.cert": "C", "d.io/me.key": "K" },
    [{ base: "https://d.io/v2", tls: { ca: ["A"], cert: "C", key: "K" } }],
  ],
])("registryHosts: %s", async (_, domain, files, expected) => {
  const hosts = await registryHosts(domain, [folderWith(files)]);
  expect(hosts).toHaveLength((expected as unknown[]).length);
  expect(hosts).toMatchObject(expected as object[]);
});

test("registryHosts: an invalid file is named", async () => {
  const folder = folderWith({ "x.io/hosts.toml": 'capabilities = "x"\nserver = "https://y"' });
  await expect(registryHosts("x.io", [folder])).rejects.toThrow(/^invalid .*x\.io\/hosts\.toml$/);
});

test("a registry with TLS is verified by the authority that is configured for it", async () => {
  const pair = selfSigned({ name: "registry", ips: ["127.0.0.1"], now: new Date() });
  const registry = await startRegistry({ tls: pair });
  const image = buildImage([tarOf([{ name: "a" }])]);
  registry.add("app:1", image);
  const files = { "example.io/hosts.toml": `server = "https://${registry.host}"` };
  const unverified = await testImages({ registry: { hostsFolders: [folderWith(files)] } });
  await expect(unverified.pull("example.io/app:1")).rejects.toThrow(
    "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  );
  const withCa = {
    "example.io/hosts.toml": `server = "https://${registry.host}"\nca = "ca.crt"`,
    "example.io/ca.crt": pair.cert,
  };
  const images = await testImages({ registry: { hostsFolders: [folderWith(withCa)] } });
  expect((await images.pull("example.io/app:1")).image.id).toBe(image.id);
  const local = await testImages({ registry: { hostsFolders: [] } });
  expect((await local.pull(`${registry.host}/app:1`)).image.id).toBe(image.id);
});
