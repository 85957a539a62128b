import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { testDir } from "../../../test/support/apiserver.test-support.ts";
import type { Clock } from "../../base/clock.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { formatKubeconfig } from "../../kubeconfig/parse-kubeconfig.ts";
import { realClock } from "../../platform/real-clock.ts";
import { withClusterContext } from "./cluster-context.ts";
import { writeRecord } from "./cluster-record.ts";
import { followClusterContext } from "./follow-cluster-context.ts";

const adminWith = (token: string) => ({
  clusters: [{ name: "x", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "admin", user: { token } }],
  contexts: [{ name: "x", context: { cluster: "x", user: "admin" } }],
  "current-context": "x",
});

/** A cluster in the kubeconfig of a user whose files are all in one folder. */
async function followed(clock: Clock = realClock) {
  const dir = testDir();
  vi.stubEnv("XDG_DATA_HOME", dir);
  onTestFinished(() => void vi.unstubAllEnvs());
  const dataDir = join(dir, "data");
  mkdirSync(dataDir);
  const kubeconfig = join(dir, "config");
  const mine = { users: [{ name: "me", user: { token: "secret" } }], "current-context": "mine" };
  const before = withClusterContext(mine, "dev", adminWith("old"));
  writeFileSync(kubeconfig, formatKubeconfig({ ...before, "current-context": "mine" }));
  await writeRecord({
    ...{ name: "dev", dataDir, kubeconfig, isEphemeral: false, nodes: 0, port: 0, version: "v" },
  });
  const { close } = followClusterContext({
    ...{ name: "dev", dataDir, clock },
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(close);
  const renew = (token: string): void =>
    writeFileSync(join(dataDir, "admin.kubeconfig"), formatKubeconfig(adminWith(token)));
  return { renew, close, kubeconfig };
}

test("followClusterContext: renewed credentials are in the user's kubeconfig, whose context stays", async () => {
  const { renew, kubeconfig } = await followed();
  for (const token of ["new", "newer"]) {
    renew(token);
    await expect
      .poll(() => readFileSync(kubeconfig, "utf8"), { timeout: 30_000 })
      .toContain(`token: ${token}\n`);
  }
  const text = readFileSync(kubeconfig, "utf8");
  expect(text).toContain("token: secret");
  expect(text).toContain("current-context: mine");
  expect(text).not.toContain("old");
});

test("followClusterContext: once it is closed, what it had begun to write is complete", async () => {
  const clock = new VirtualClock();
  const { renew, close, kubeconfig } = await followed(clock);
  renew("new");
  await expect.poll(() => clock.pending, { timeout: 30_000 }).toBe(1);
  await clock.advance(1000);
  await close();
  expect(readFileSync(kubeconfig, "utf8")).toContain("token: new\n");
});
