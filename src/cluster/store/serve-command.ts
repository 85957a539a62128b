import { join } from "node:path";
import { aborted } from "../../base/on-abort.ts";
import { command } from "../../cli/command.ts";
import { stringFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { directoryBytes } from "../../platform/directory-bytes.ts";
import { stampDataDirectory } from "../opening/data-version.ts";
import { openLog } from "../opening/open-log.ts";
import {
  etcdListenFlags,
  etcdListenProblems,
  givenEtcdListen,
  listenEtcd,
} from "../serving/etcd-listen.ts";
import { dataDirectory, isInEtcd, openOwnStore, storeFlags } from "./command-store.ts";

const { "etcd-listen": _, ...tlsFlags } = etcdListenFlags;

/** Serves etcd's API on a store, without a cluster, until it is stopped. */
export const serveCommand = command({
  name: "serve",
  short: "Serve etcd's API on a store",
  long: `Serve etcd's v3 API on the store of a data directory whose server is stopped, so that etcdctl and
others who speak to etcd work on it. It prints a line when it is ready, and stops in good order
on SIGINT or SIGTERM. While a server runs, give "--etcd-listen" to that one instead.

Every client that reaches it can read all secrets and write anything: clients on other machines
need TLS, and a certificate of an authority that you name.

It is one member, and never more: there are no users, roles, alarms or other members, and keys are
UTF-8. What a client asks for that is not there is refused with the reason. It does not run a
cluster, and what hangs on a lease goes in time only while this or an API server runs.

Exit codes: 0 when it was stopped, 1 when it could not be started, 2 when the command line makes
no sense.`,
  examples: `  # Use etcdctl on a data directory
  wherry store serve --data-dir ./data --listen 127.0.0.1:2379
  etcdctl --endpoints 127.0.0.1:2379 get /registry/ --prefix --keys-only

  # Let another machine reach it
  wherry store serve --data-dir ./data --listen 10.0.0.1:2379 --etcd-listen-cert-file server.crt \\
    --etcd-listen-key-file server.key --etcd-listen-client-ca-file clients-ca.crt`,
  flags: {
    listen: stringFlag({
      usage: "the `ADDRESS` (host:port) to listen at; port 0 is one that is free",
      default: "127.0.0.1:2379",
    }),
    ...tlsFlags,
  },
  async run({ flags, inherited, streams, signal }) {
    const target = inherited(storeFlags);
    if (isInEtcd(target))
      throw new UsageError("--etcd-servers names an etcd already: give --data-dir");
    const listening = { ...flags, "etcd-listen": flags.listen };
    const problems = etcdListenProblems(listening, "listen");
    if (problems.length > 0) throw new UsageError(problems);
    const where = await givenEtcdListen(listening);
    if (!where) throw new UsageError("--listen is required: it says where to serve");
    const dir = await dataDirectory(target);
    const store = await openOwnStore(dir, whileServed);
    try {
      await stampDataDirectory(dir);
      const log = openLog({ level: "warn", format: "" });
      const storeBytes = () => directoryBytes(join(dir, "store"));
      const served = await listenEtcd(where, { store, storeBytes, log }, "listen");
      try {
        const { url } = served;
        streams.stdout.write(
          `ready: ${url}\nto use it: export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=${url}\n`,
        );
        await aborted(signal);
      } finally {
        await served.close();
      }
    } finally {
      await store.close();
    }
    return 0;
  },
});

const whileServed = "or let that one serve it: start it with --etcd-listen";
