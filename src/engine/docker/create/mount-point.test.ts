import { describe, expect, test } from "vitest";
import { hostOf } from "./create.test-support.ts";
import { parseBind, parseMount, volumeAt } from "./mount-point.ts";

describe("parseBind", () => {
  test.each<{ readonly raw: string; readonly mount: object }>([
    {
      raw: "/host/../srv:/data:ro",
      mount: {
        type: "bind",
        source: "/srv",
        destination: "/data",
        writable: false,
        mode: "ro",
        propagation: "rprivate",
      },
    },
    { raw: "/a:/b:rshared,z", mount: { type: "bind", propagation: "rshared", writable: true } },
    {
      raw: "vol:/data/",
      mount: { type: "volume", name: "vol", destination: "/data", copies: true },
    },
    { raw: "vol:/data:nocopy", mount: { type: "volume", copies: false } },
    { raw: "/anon", mount: { type: "volume", source: "", destination: "/anon" } },
  ])("$raw", ({ raw, mount }) => {
    expect(parseBind(raw)).toMatchObject(mount);
  });

  test.each<{ readonly raw: string; readonly message: string }>([
    { raw: "", message: "invalid volume specification: ''" },
    { raw: "/a:rw", message: "invalid volume specification: '/a:rw'" },
    { raw: "/a:/b:ro,rw", message: "invalid mode: ro,rw" },
    { raw: "/a:/b:nosuch", message: "invalid mode: nosuch" },
    { raw: "a:b:c:d", message: "invalid volume specification: 'a:b:c:d'" },
    {
      raw: "/a:b",
      message: `invalid volume specification: '/a:b': invalid mount config for type "bind": invalid mount path: 'b' mount path must be absolute`,
    },
    {
      raw: "/a:/",
      message: `invalid volume specification: '/a:/': invalid mount config for type "bind": invalid specification: destination can't be '/'`,
    },
    {
      raw: "../x:/b",
      message: `create ../x: "../x" includes invalid characters for a local volume name, only "[a-zA-Z0-9][a-zA-Z0-9_.-]" are allowed. If you intended to pass a host directory, use absolute path`,
    },
  ])("rejects $raw", ({ raw, message }) => {
    expect(() => parseBind(raw)).toThrow(message);
  });
});

describe("parseMount", () => {
  const parse = (mount: object, exists = true) => {
    const [first] = hostOf({ Mounts: [mount] }).Mounts ?? [];
    if (!first) throw new Error("no mount");
    return parseMount(first, () => exists);
  };

  test.each<{ readonly name: string; readonly mount: object; readonly parsed: object }>([
    {
      name: "bind",
      mount: { Type: "bind", Source: "/a", Target: "/b", ReadOnly: true },
      parsed: { type: "bind", source: "/a", destination: "/b", writable: false },
    },
    {
      name: "volume",
      mount: { Type: "volume", Source: "vol", Target: "/b", VolumeOptions: { NoCopy: true } },
      parsed: { type: "volume", name: "vol", copies: false },
    },
    {
      name: "tmpfs",
      mount: { Type: "tmpfs", Target: "/b", TmpfsOptions: { SizeBytes: 4096, Mode: 0o700 } },
      parsed: { type: "tmpfs", tmpfsOptions: ["mode=700", "size=4096"] },
    },
  ])("$name", ({ mount, parsed }) => {
    expect(parse(mount)).toMatchObject(parsed);
  });

  test.each<{ readonly mount: object; readonly exists?: boolean; readonly message: string }>([
    {
      mount: { Type: "bind", Target: "/b" },
      message: 'invalid mount config for type "bind": field Source must not be empty',
    },
    {
      mount: { Type: "bind", Source: "/a" },
      message: 'invalid mount config for type "bind": field Target must not be empty',
    },
    {
      mount: { Type: "bind", Source: "/a", Target: "/b" },
      exists: false,
      message: 'invalid mount config for type "bind": bind source path does not exist: /a',
    },
    {
      mount: { Type: "tmpfs", Source: "x", Target: "/b" },
      message: 'invalid mount config for type "tmpfs": field Source must not be specified',
    },
    {
      mount: { Type: "volume", Target: "/b", BindOptions: {} },
      message: 'invalid mount config for type "volume": field BindOptions must not be specified',
    },
    {
      mount: { Type: "npipe", Target: "/b" },
      message: 'invalid mount config for type "npipe": mount type unknown',
    },
  ])("rejects: $message", ({ mount, exists, message }) => {
    expect(() => parse(mount, exists)).toThrow(message);
  });
});

test("volumeAt: the path of an image's volume never names a folder of the host", () => {
  expect(volumeAt("/:/host")).toMatchObject({ type: "volume", source: "", destination: "/:/host" });
  expect(volumeAt("/etc:/x:rw")).toMatchObject({ type: "volume", destination: "/etc:/x:rw" });
  expect(volumeAt("/../../etc/")).toMatchObject({ type: "volume", destination: "/etc" });
  expect(() => volumeAt("/..")).toThrow("destination can't be '/'");
  expect(() => volumeAt("etc")).toThrow("mount path must be absolute");
});
