import { mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { command } from "../../../cli/command.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { serveOwnStore } from "../../store/serve-own-store.ts";
import { etcdFlagProblems, etcdProgramFlags, givenListen } from "./etcd-flags.ts";

/** etcd for a test environment: its API and its health on a new or an older store of Wherry's. */
export const etcdProgramCommand = command({
  name: "envtest-etcd",
  short: "Run etcd for a test environment; use wherry envtest instead",
  long: `Serve etcd's v3 API, and its pages /health and /version, on a data directory of Wherry's, until
SIGINT or SIGTERM. The flags are those of etcd that test environments use; "wherry store serve" is
for other purposes.`,
  flags: etcdProgramFlags,
  async run({ flags, streams, signal }) {
    const problems = etcdFlagProblems(flags);
    if (problems.length > 0) throw new UsageError(problems);
    const listen = await givenListen(flags);
    const dir = resolve(flags["data-dir"]);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    if (await stat(join(dir, "member")).catch(() => undefined))
      throw new Error(`${dir} holds data of etcd itself: choose another with --data-dir`);
    await serveOwnStore({
      dir,
      listen,
      flag: "listen-client-urls",
      advice: "or give each a --data-dir of its own",
      store: {
        noSync: flags["unsafe-no-fsync"],
        ...(flags["quota-backend-bytes"] > 0 && { quotaBytes: flags["quota-backend-bytes"] }),
      },
      signal,
      onReady: (url) => streams.stdout.write(`ready: ${url}\n`),
    });
    return 0;
  },
});
