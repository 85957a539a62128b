import { expect, test } from "vitest";
import { noLog } from "../../../base/log.ts";
import { serverText, usableServers } from "./usable-servers.ts";

const server = (address: string) => ({ address, port: 53 });

test("usableServers: read again after some seconds, without loops, those that failed last", async () => {
  let now = 0;
  let changes = 0;
  let file: readonly string[] | undefined = ["192.0.2.1", "192.0.2.2", "10.0.0.10", "fd00::1"];
  const servers = usableServers({
    async read() {
      if (!file) throw new Error("no file");
      return file.map(server);
    },
    isOwn: ({ address }) => address === "10.0.0.10",
    loops: { check() {}, isIn: ({ address }) => address === "192.0.2.9" },
    changed: () => {
      changes++;
    },
    ...{ ticks: () => now, log: noLog },
  });
  const list = async () => (await servers.list()).map(serverText);
  expect(await list()).toEqual(["192.0.2.1:53", "192.0.2.2:53", "[fd00::1]:53"]);
  servers.failed(server("192.0.2.1"));
  file = ["192.0.2.9", "192.0.2.1", "192.0.2.3"];
  expect(await list()).toEqual(["192.0.2.2:53", "[fd00::1]:53", "192.0.2.1:53"]);
  now = 5000;
  expect(await list()).toEqual(["192.0.2.3:53", "192.0.2.1:53"]);
  servers.responded(server("192.0.2.1"));
  expect(await list()).toEqual(["192.0.2.1:53", "192.0.2.3:53"]);
  expect(changes).toBe(2);
  // While the file cannot be read, the servers known last are used.
  file = undefined;
  now = 10_000;
  expect(await list()).toEqual(["192.0.2.1:53", "192.0.2.3:53"]);
});
