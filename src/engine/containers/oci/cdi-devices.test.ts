import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cdiEdits } from "./cdi-devices.ts";

describe("cdiEdits", () => {
  let folder: string;
  let folders: string[];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "wherry-cdi-"));
    folders = [join(folder, "etc"), join(folder, "run"), join(folder, "missing")];
    for (const path of folders.slice(0, 2)) mkdirSync(path);
    write("etc/gpu.json", {
      kind: "vendor.com/gpu",
      containerEdits: { env: ["GPU=all"] },
      devices: [
        {
          name: "zero",
          containerEdits: {
            deviceNodes: [{ path: "/dev/gpu0", hostPath: "/dev/null", permissions: "rw" }],
            mounts: [{ hostPath: "/lib/gpu", containerPath: "/gpu", options: ["ro", "bind"] }],
            additionalGids: [44],
          },
        },
        { name: "one", containerEdits: { env: ["ONE=old"] } },
        {
          name: "hooked",
          containerEdits: {
            hooks: [
              { hookName: "createContainer", path: "/link", args: ["link", "a"], timeout: 5 },
              { hookName: "prestart", path: "/x", env: ["A=b"] },
              { hookName: "createContainer", path: "/second" },
            ],
          },
        },
        { name: "odd", containerEdits: { hooks: [{ hookName: "sometime", path: "/x" }] } },
      ],
    });
    write("run/gpu.json", {
      kind: "vendor.com/gpu",
      devices: [{ name: "one", containerEdits: { env: ["ONE=new"] } }],
    });
    writeFileSync(join(folder, "run/broken.json"), "{");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function write(path: string, spec: object): void {
    writeFileSync(join(folder, path), JSON.stringify(spec));
  }

  test("devices add nodes, mounts, variables and groups", async () => {
    const edits = await cdiEdits(["vendor.com/gpu=zero", "vendor.com/gpu=zero"], { folders });
    expect(edits).toEqual({
      env: ["GPU=all"],
      devices: [expect.objectContaining({ path: "/dev/gpu0", major: 1, minor: 3, access: "rw" })],
      mounts: [{ type: "bind", source: "/lib/gpu", destination: "/gpu", options: ["ro", "bind"] }],
      additionalGids: [44],
    });
  });

  test("later folders override earlier ones", async () => {
    expect((await cdiEdits(["vendor.com/gpu=one"], { folders })).env).toEqual(["ONE=new"]);
  });

  test("files in YAML are read if there is a reader for them", async () => {
    const text = "kind: vendor.com/nic\n";
    writeFileSync(join(folder, "run/nic.yaml"), text);
    const readYaml = (given: string) => {
      expect(given).toBe(text);
      return { kind: "vendor.com/nic", devices: [{ name: "a", containerEdits: { env: ["A=b"] } }] };
    };
    expect((await cdiEdits(["vendor.com/nic=a"], { folders, readYaml })).env).toEqual(["A=b"]);
    await expect(cdiEdits(["vendor.com/nic=a"], { folders })).rejects.toThrow("vendor.com/nic=a");
  });

  test("devices that no file describes are named", async () => {
    await expect(
      cdiEdits(["vendor.com/gpu=two", "vendor.com/gpu=zero", "odd"], { folders }),
    ).rejects.toThrow(
      "CDI device injection failed: unresolvable CDI devices vendor.com/gpu=two, odd",
    );
  });

  test("hooks are sorted by their moment; unknown moments are errors", async () => {
    expect((await cdiEdits(["vendor.com/gpu=hooked"], { folders })).hooks).toEqual({
      createContainer: [{ path: "/link", args: ["link", "a"], timeout: 5 }, { path: "/second" }],
      prestart: [{ path: "/x", env: ["A=b"] }],
    });
    await expect(cdiEdits(["vendor.com/gpu=odd"], { folders })).rejects.toThrow(
      'CDI device injection failed: unknown hook name "sometime"',
    );
  });

  test("no devices change nothing", async () => {
    expect(await cdiEdits([])).toEqual({ env: [], devices: [], mounts: [], additionalGids: [] });
  });
});
