import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CustomResourceDefinition } from "../../src/api/apiextensions/v1/custom-resource-definition.ts";
import { createDiscovery } from "../../src/client/discovery/discovery.ts";
import { createRestMapper } from "../../src/client/discovery/rest-mapper.ts";
import { type Connection, connect } from "../../src/kubeconfig/connect.ts";
import { discoveryFiles } from "../../src/kubeconfig/discovery-files.ts";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Tour } from "./kubectl.test-support.ts";

describeWith(requires("kubectl"))("files of discovery that are shared with kubectl", () => {
  let tour: Tour;
  let connection: Connection;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "wherry-discovery-"));
    tour = await openTour();
    connection = await connect({ kubeconfig: readFileSync(tour.server.kubeconfig, "utf8") });
  });
  afterAll(async () => {
    connection.close();
    await tour.close();
    rmSync(directory, { recursive: true });
  });

  /** A mapper as a new process has it, and how many calls it makes. */
  function newProcess(cacheDir: string) {
    let calls = 0;
    const { client, server } = connection;
    const counting = {
      ...client,
      raw(request: Parameters<typeof client.raw>[0]) {
        calls++;
        return client.raw(request);
      },
    };
    const cache = discoveryFiles({ server, directory: cacheDir });
    return { mapper: createRestMapper(createDiscovery(counting, { cache })), calls: () => calls };
  }

  test("our client reads kubectl's discovery cache", async () => {
    const cacheDir = join(directory, "kubectl");
    await tour.run(`get deployments --cache-dir ${cacheDir}`);
    const { mapper, calls } = newProcess(cacheDir);
    expect(await mapper.named("deploy")).toMatchObject({ group: "apps", plural: "deployments" });
    expect(await mapper.named("hpa")).toMatchObject({ group: "autoscaling", version: "v2" });
    expect(calls()).toBe(0);
  });

  test("kubectl reads our discovery cache", async () => {
    const cacheDir = join(directory, "ours");
    const { mapper, calls } = newProcess(cacheDir);
    await mapper.named("deploy");
    expect(calls()).toBe(2);
    const folder = join(cacheDir, "discovery", connection.server.slice(8).replaceAll(":", "_"));
    const file = join(folder, "apps", "v1", "serverresources.json");
    expect(statSync(file).mode & 0o777).toBe(0o660);
    // Only the file says so.
    writeFileSync(file, readFileSync(file, "utf8").replace('"deploy"', '"dpl"'));
    const { printed } = await tour.run(`get dpl --cache-dir ${cacheDir}`);
    expect(printed).toContain("No resources found in default namespace.");
  });

  test("a kind that was defined after the cache was written is found", async () => {
    const cacheDir = join(directory, "ours");
    const { mapper, calls } = newProcess(cacheDir);
    const schema = { openAPIV3Schema: { type: "object" } };
    await connection.client.create(CustomResourceDefinition, {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await tour.run("wait --for=condition=Established crd/widgets.example.com");
    expect(await mapper.named("widgets")).toMatchObject({ group: "example.com" });
    expect(calls()).toBe(2);
    const next = newProcess(cacheDir);
    expect(await next.mapper.named("widget")).toMatchObject({ group: "example.com" });
    expect(next.calls()).toBe(0);
  });
});
