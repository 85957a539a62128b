import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installPlugins, writeConfiguration } from "./install-plugins.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "wherry-install-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("installPlugins: a program with links, which runs by the Node of today; others' plugins stay", async () => {
  const root = folder();
  const [program, binDir] = [join(root, "p.cjs"), join(root, "opt", "bin")];
  writeFileSync(program, "#!/usr/bin/env node\nwork();\n");
  const all = ["loopback", "bridge", "host-local", "portmap", "wherry"];
  const options = { program, binDir, force: false };
  expect(await installPlugins(options)).toEqual({ installed: all, kept: [] });
  const installed = join(binDir, "wherry-cni");
  expect(readFileSync(installed, "utf8")).toBe(`#!${process.execPath}\nwork();\n`);
  expect(statSync(installed).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(binDir, "bridge"))).toBe("wherry-cni");
  rmSync(join(binDir, "bridge"));
  writeFileSync(join(binDir, "bridge"), "another's");
  const others = all.filter((name) => name !== "bridge");
  expect(await installPlugins(options)).toEqual({ installed: others, kept: ["bridge"] });
  expect(await installPlugins({ ...options, force: true })).toEqual({ installed: all, kept: [] });
  await expect(installPlugins({ ...options, program: join(root, "missing") })).rejects.toThrow(
    "this program was installed without its CNI plugins",
  );
});

test("writeConfiguration: the built-in network, and ports of the node", async () => {
  const path = await writeConfiguration(join(folder(), "net.d"), ["10.244.1.0/24", "fd00::/64"]);
  expect(path).toMatch(/net\.d\/10-wherry\.conflist$/);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    plugins: [{ type: "wherry", podCidr: "10.244.1.0/24,fd00::/64" }, { type: "portmap" }],
  });
});
