import { command } from "../../cli/command.ts";
import { stringFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { etcdListenFlags, etcdListenProblems, givenEtcdListen } from "../serving/etcd-listen.ts";
import { dataDirectory, isInEtcd, storeFlags } from "./command-store.ts";
import { serveOwnStore } from "./serve-own-store.ts";

const { "etcd-listen": _, ...tlsFlags } = etcdListenFlags;

/** Serves etcd's API on a store, without a cluster, until a signal stops it. */
export const serveCommand = command({
  name: "serve",
  short: "Serve etcd's API on a store",
  long: `Serve etcd's v3 API on the store of a data directory whose server is stopped, for etcdctl and
other etcd clients. The command prints a line when it is ready, and stops in order on SIGINT or
SIGTERM. If a server is running on the data directory, start that one with --etcd-listen instead.

Every client can read all secrets and write anything: clients on other machines need TLS, and a
certificate of the CA that you name.

There is one member; users, roles, alarms and other members are not supported, and keys are
UTF-8. Requests that are not supported are rejected with the reason. No cluster runs: keys
attached to a lease expire only while this command or an API server runs.

Exit codes: 0 when stopped, 1 when it could not start, 2 when the command line is invalid.`,
  examples: `  # Use etcdctl on a data directory
  wherry store serve --data-dir ./data --listen 127.0.0.1:2379
  etcdctl --endpoints 127.0.0.1:2379 get /registry/ --prefix --keys-only

  # Serve other machines
  wherry store serve --data-dir ./data --listen 10.0.0.1:2379 --etcd-listen-cert-file server.crt \\
    --etcd-listen-key-file server.key --etcd-listen-client-ca-file clients-ca.crt`,
  flags: {
    listen: stringFlag({
      usage: "the `ADDRESS` (host:port) to listen on; port 0 chooses a free one",
      default: "127.0.0.1:2379",
    }),
    ...tlsFlags,
  },
  async run({ flags, inherited, streams, signal }) {
    const target = inherited(storeFlags);
    if (isInEtcd(target))
      throw new UsageError("--etcd-servers is already an etcd: give --data-dir instead");
    const listening = { ...flags, "etcd-listen": flags.listen };
    const problems = etcdListenProblems(listening, "listen");
    if (problems.length > 0) throw new UsageError(problems);
    const where = await givenEtcdListen(listening);
    if (!where) throw new UsageError("--listen is required: the address to serve on");
    const dir = await dataDirectory(target);
    await serveOwnStore({
      dir,
      listen: where,
      flag: "listen",
      advice: "or serve etcd's API from that process with --etcd-listen",
      signal,
      onReady: (url) =>
        streams.stdout.write(
          `ready: ${url}\nto use it: export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=${url}\n`,
        ),
    });
    return 0;
  },
});
