import { expect, test } from "vitest";
import { statusTable } from "./status-table.ts";

const known = { version: "0.1.0", isEphemeral: false, kubeconfig: "k", log: "l" };

test("statusTable: running, unready and stopped clusters", () => {
  const now = Date.parse("2026-01-02T03:04:05Z");
  const table = statusTable(
    [
      {
        ...known,
        name: "wherry",
        state: "running",
        nodes: 3,
        nodesReady: 3,
        server: "https://127.0.0.1:41234",
        pid: 7,
        startedAt: "2026-01-01T00:00:00.000Z",
        dataDir: "/home/me/data",
      },
      { ...known, name: "ci", state: "stopped", nodes: 1, isEphemeral: true, dataDir: "/tmp/x" },
    ],
    now,
  );
  expect(table).toBe(`NAME     STATE     NODES   SERVER                    UP     DATA
wherry   running   3/3     https://127.0.0.1:41234   1d3h   /home/me/data
ci       stopped   1       -                         -      /tmp/x (ephemeral)
`);
});
