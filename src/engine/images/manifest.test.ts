import { describe, expect } from "vitest";
import { each } from "../../../test/each.ts";
import { digestOf } from "./digest.ts";
import { hostPlatform } from "./host-platform.ts";
import {
  choosePlatform,
  type Index,
  mediaTypes,
  type Platform,
  parseManifest,
} from "./manifest.ts";
import { parseImageConfig } from "./parse-image-config.ts";

const digest = digestOf("x");
const config = { mediaType: mediaTypes.ociConfig, digest, size: 1 };
const layer = { mediaType: `${mediaTypes.dockerLayer}.gzip`, digest, size: 2 };
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe("parseManifest", () => {
  each<[string, unknown, unknown]>([
    [
      "docker's",
      { schemaVersion: 2, mediaType: mediaTypes.dockerManifest, config, layers: [layer] },
      "manifest",
    ],
    ["OCI's without a media type", { schemaVersion: 2, config, layers: [] }, "manifest"],
    [
      "a list",
      { schemaVersion: 2, manifests: [{ ...config, platform: { os: "linux" } }] },
      "index",
    ],
  ])("reads %s", (_, document, kind) => {
    expect(parseManifest(bytes(document))).toMatchObject({ kind });
  });

  each<[string, unknown, string]>([
    ["no object", [], "it is not a JSON object"],
    [
      "schema 1",
      { schemaVersion: 1, fsLayers: [] },
      "schema 1 image manifests are no longer supported",
    ],
    ["both kinds at once", { config, layers: [], manifests: [] }, "both layers and manifests"],
    ["neither kind", { schemaVersion: 2 }, "it has no layers"],
    [
      "docker's foreign layers",
      {
        config,
        layers: [
          { ...layer, mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip" },
        ],
      },
      "foreign layers are not supported: application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
    ],
    [
      "OCI's nondistributable layers",
      {
        config,
        layers: [
          { ...layer, mediaType: "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip" },
        ],
      },
      "foreign layers are not supported: application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
    ],
    [
      "layers with URLs",
      { config, layers: [{ ...layer, urls: ["http://x"] }] },
      "foreign layers are not supported",
    ],
    [
      "other layers",
      { config, layers: [{ ...layer, mediaType: "text/plain" }] },
      'unsupported layer media type "text/plain"',
    ],
    [
      "a digest that is a path",
      { config: { ...config, digest: "sha256:../x" }, layers: [] },
      "invalid checksum digest format",
    ],
    ["a negative size", { config: { ...config, size: -1 }, layers: [] }, "invalid size"],
    ["too many layers", { config, layers: Array(501).fill(layer) }, "more than 500 entries"],
  ])("refuses %s", (_, document, message) => {
    expect(() => parseManifest(bytes(document))).toThrow(message);
  });
});

const index = (...platforms: readonly (Platform | undefined)[]): Index => ({
  kind: "index",
  mediaType: mediaTypes.ociIndex,
  manifests: platforms.map((platform, at) => ({ ...config, size: at, platform })),
});
const amd64 = { os: "linux", architecture: "amd64" };
const arm = (variant?: string): Platform => ({ os: "linux", architecture: "arm", variant });

each<[string, Index, Platform, number | undefined]>([
  ["the same", index(arm("v7"), amd64), amd64, 1],
  ["no other", index(arm("v7"), { ...amd64, os: "windows" }), amd64, undefined],
  ["the newest usable variant", index(arm("v5"), arm("v6"), arm("v8")), arm("v7"), 1],
  ["arm without a variant is v7", index(arm("v6"), arm()), arm("v7"), 1],
  [
    "arm64 with and without v8",
    index({ os: "linux", architecture: "arm64" }),
    hostPlatform("arm64"),
    0,
  ],
  ["a manifest without a platform last", index(undefined, amd64), amd64, 1],
])("choosePlatform: %s", (_, list, wanted, expected) => {
  expect(choosePlatform(list, wanted)?.size).toBe(expected);
});

const rootfs = { type: "layers", diff_ids: [digest] };

each<[string, unknown, string]>([
  ["no layers", { os: "linux" }, "rootfs.diff_ids"],
  ["layers that are paths", { rootfs: { diff_ids: ["../x"] } }, "rootfs.diff_ids"],
  ["an environment of numbers", { rootfs, config: { Env: [1] } }, "Env"],
  ["a command that is a text", { rootfs, config: { Cmd: "sh" } }, "Cmd"],
  ["labels that are numbers", { rootfs, config: { Labels: { a: 1 } } }, "Labels"],
  ["volumes that are a list", { rootfs, config: { Volumes: ["/x"] } }, "Volumes"],
  [
    "a health check of another type",
    { rootfs, config: { Healthcheck: { Interval: "1s" } } },
    "Interval",
  ],
])("parseImageConfig: refuses %s", (_, document, name) => {
  expect(() => parseImageConfig(bytes(document))).toThrow(`invalid image configuration: ${name}`);
});

each<[string, unknown, unknown]>([
  [
    "null members",
    { os: "linux", architecture: "amd64", rootfs, config: { Cmd: null } },
    { config: { Cmd: null } },
  ],
  [
    "no configuration",
    { rootfs, config: null },
    { os: "linux", architecture: "", config: undefined },
  ],
])("parseImageConfig: accepts %s", (_, document, expected) => {
  expect(parseImageConfig(bytes(document))).toMatchObject(expected as object);
});
