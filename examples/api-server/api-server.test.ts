import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createManager } from "wherry/controller";
import { connect } from "wherry/kubeconfig";
import { startCluster } from "wherry/testing";
import { Booking, Room, roomsServer } from "./bookings.ts";

test("bookings are stored, and rooms are computed", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  await using _running = await cluster.run([roomsServer()]);
  const { client } = cluster;
  const { spec } = await client.create(Booking, {
    metadata: { name: "standup" },
    spec: { room: "attic" },
  });
  expect(spec).toEqual({ room: "attic", hours: 1, by: "kubernetes-admin" });
  await expect(
    client.create(Booking, { metadata: { name: "x" }, spec: { room: "cellar" } }),
  ).rejects.toThrow("there is no room cellar");
  await expect(
    client.patch(Booking, { name: "standup" }, { merge: { spec: { room: "hall" } } }),
  ).rejects.toThrow("a booking cannot move to another room");
  const { items } = await client.list(Room, { labelSelector: { floor: "0" } });
  expect(items.map(({ metadata, seats }) => [metadata.name, seats])).toEqual([["hall", 80]]);
  await expect(cluster.as("eve").list(Booking)).rejects.toThrow('User "eve" cannot list');
});

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

test.skipIf(!hasKubectl)(
  "kubectl reaches the server behind a real one",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "rooms-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    await startWherry("apiserver", "--data-dir", dir, "--secure-port", "0");
    const path = join(dir, "admin.kubeconfig");
    const connection = await connect({ path });
    onTestFinished(() => connection.close());
    const stop = new AbortController();
    const running = createManager({ ...connection, runnables: [roomsServer()] }).run(stop);
    const env = { ...process.env, KUBECONFIG: path };
    const kubectl = async (...args: string[]) => (await run("kubectl", args, { env })).stdout;

    const api = "apiservice/v1.rooms.example.com";
    await kubectl("wait", "--for=create", api, "--timeout=60s");
    await kubectl("wait", "--for=condition=Available", api, "--timeout=60s");
    expect(await kubectl("get", "rooms")).toMatch(/^NAME +SEATS +AGE\nattic +4.*\nhall +80/);
    const manifest = join(import.meta.dirname, "booking.yaml");
    expect(await kubectl("apply", "-f", manifest)).toBe(
      "booking.rooms.example.com/standup created\n",
    );
    expect(await kubectl("get", "bk")).toMatch(
      /^NAME +ROOM +HOURS +BY +AGE\nstandup +attic +2 +admin/,
    );
    stop.abort();
    await running;
  },
  120_000,
);

const run = promisify(execFile);

/** Starts a command of wherry, which ends with the test; resolves when it is ready. */
async function startWherry(...args: readonly string[]): Promise<void> {
  const program = join(import.meta.dirname, "..", "node_modules", "wherry", "dist", "wherry.js");
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    child.once("close", () => reject(new Error("the server has ended")));
  });
}
