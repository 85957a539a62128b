import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Deployment } from "../../src/api/apps/v1/deployment.ts";
import { ConfigMap } from "../../src/api/core/v1/config-map.ts";
import { list, listOf, quantity, string } from "../../src/schema/language/field.ts";
import type { Kind } from "../../src/schema/language/kind.ts";
import { type Struct, struct } from "../../src/schema/language/struct.ts";
import { structType } from "../../src/schema/language/type.ts";
import { projectRoot } from "../project.mjs";
import { publicNames, renderApiTypes } from "./api-types.ts";

const Box: Struct = struct("test.v1.Box", {
  kind: string(0).doc("The kind."),
  size: quantity(1).doc("How much goes in."),
  shape: string(2).values("round", "square").default("round").doc("Its shape: */ is no end."),
  name: string(3).always().required().doc("What it is called."),
  inner: listOf(
    4,
    structType(() => Box),
  ).doc("Boxes in it."),
}).doc("A box.");
const boxTypes = `/** A box. */
export interface Box {
  /** The kind. */
  readonly kind: string;
  /** How much goes in. */
  readonly size?: string | undefined;
  /** Its shape: *\\/ is no end. */
  readonly shape: "round" | "square";
  /** What it is called. */
  readonly name: string;
  /** Boxes in it. */
  readonly inner?: readonly Box[] | undefined;
}

/** A box. As a client may write it. */
export interface BoxInput {
  /** The kind. */
  readonly kind?: string | undefined;
  /** How much goes in. */
  readonly size?: number | string | undefined;
  /** Its shape: *\\/ is no end. */
  readonly shape?: "round" | "square" | undefined;
  /** What it is called. */
  readonly name: string;
  /** Boxes in it. */
  readonly inner?: readonly BoxInput[] | undefined;
}

/** Boxes. */
export interface BoxList {
  /** All. */
  readonly items?: readonly Box[] | undefined;
}

/** Boxes. As a client may write it. */
export interface BoxListInput {
  /** All. */
  readonly items?: readonly BoxInput[] | undefined;
}

/** A box. */
export declare const Box: Kind<Box, BoxInput>;
`;

const types = renderApiTypes([ConfigMap, Deployment] as readonly Kind[]);

test("renderApiTypes: fields carry their documentation and say whether they are there", () => {
  const small = renderApiTypes([
    {
      struct: Box,
      list: struct("test.v1.BoxList", { items: list(1, Box).doc("All.") }).doc("Boxes."),
    } as unknown as Kind,
  ]);
  expect(small.slice(small.indexOf("/** A box."))).toEqual(boxTypes);
});

const program = `
import { Deployment, type DeploymentInput, type Kind } from "./api.js";

const written: DeploymentInput = {
  metadata: { name: "web", labels: { app: "web" } },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1", resources: { limits: { cpu: 1 } } }] },
    },
  },
};
declare function get<O, I>(kind: Kind<O, I>, name: string): O;
const stored = get(Deployment, "web");
export const kind: string = stored.kind;
export const replicas: number = stored.spec.replicas;
export const version: string | undefined = stored.metadata.resourceVersion;
export const plural: string = Deployment.plural;
// @ts-expect-error a deployment must select pods
export const without: DeploymentInput = { metadata: {}, spec: { template: {} } };
// @ts-expect-error what is stored does not change
stored.spec.replicas = 3;
export { written };
`;

test("renderApiTypes: a program against the types compiles, and its mistakes do not", () => {
  const folder = mkdtempSync(join(tmpdir(), "api-types-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "api.d.ts"), types);
    writeFileSync(join(folder, "program.ts"), program);
    const tsc = join(projectRoot, "node_modules", ".bin", "tsc");
    const strict = ["--strict", "--noEmit", "--exactOptionalPropertyTypes"];
    const target = ["--target", "es2023", "--module", "nodenext", "--types", ""];
    const { stdout, status } = spawnSync(tsc, [...strict, ...target, "program.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("publicNames: the core group keeps a name, then the newest version; others say their group", () => {
  const names = [
    "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler",
    "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
    "io.k8s.api.events.v1.Event",
    "io.k8s.api.core.v1.Event",
  ];
  const given = publicNames(names);
  expect(names.map((name) => given.get(name))).toEqual([
    "AutoscalingV1HorizontalPodAutoscaler",
    "HorizontalPodAutoscaler",
    "EventsV1Event",
    "Event",
  ]);
});
