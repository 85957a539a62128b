import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import type { ClusterRecord } from "../../../src/cluster/up/cluster-record.ts";
import { busyboxImage, ociArchive } from "../../../src/engine/images/oci-image.test-support.ts";
import { type Connection, connect } from "../../../src/kubeconfig/connect.ts";
import { isRunning, type ProcessIdentity } from "../../../src/platform/process-identity.ts";
import { runChild } from "../../../src/platform/run-child.ts";
import { wherryProgram } from "../../../test/wherry-program.ts";

export const crashImage = "registry.test/bb:1";

/** A cluster of `wherry up` with one real node and a home directory of its own, whose processes are killed. */
export class CrashCluster {
  readonly home = mkdtempSync(join(tmpdir(), "wherry-node-crash-"));
  readonly #program = wherryProgram();
  #connection: Connection | undefined;

  get #clusterDir(): string {
    return join(this.home, "data", "wherry", "clusters", "wherry");
  }

  get dataDir(): string {
    return join(this.#clusterDir, "data");
  }

  /** The folder of the node's box. */
  get box(): string {
    return join(this.dataDir, "nodes", "node-1");
  }

  /** The folder on this machine of the directory to which containers write what they do. */
  get journal(): string {
    return join(this.box, "root", journalPath);
  }

  get connection(): Connection {
    if (!this.#connection) throw new Error("the cluster was not started");
    return this.#connection;
  }

  get record(): ClusterRecord {
    return JSON.parse(readFileSync(join(this.#clusterDir, "cluster.json"), "utf8"));
  }

  /** The first process of the box. */
  get init(): ProcessIdentity {
    return JSON.parse(readFileSync(join(this.box, "box.json"), "utf8")).init;
  }

  /** Starts the cluster, and loads the image of its pods. */
  async start(): Promise<void> {
    await this.up();
    const image = await buffer(ociArchive(busyboxImage(), crashImage));
    await this.#run(["image", "load", "--cluster", "wherry", "-"], image);
    this.#connection = await connect({
      ...{ path: join(this.dataDir, "admin.kubeconfig"), inCluster: false },
    });
  }

  /** Starts the server, if it does not run. */
  async up(): Promise<void> {
    await this.#run(["up", "--timeout", "3m"]);
  }

  /** The agent that was started last, once it runs. */
  async agent(): Promise<ProcessIdentity> {
    return soon("no agent was started", () => {
      const found = readIdentity(join(this.box, "processes", "agent.json"));
      return found && isRunning(found) ? found : undefined;
    });
  }

  /** The process of the server that was started last, once it runs. */
  async server(): Promise<ProcessIdentity> {
    return soon("no server was started", () => {
      const { process: found } = this.record;
      return found && isRunning(found) ? found : undefined;
    });
  }

  /** Deletes the cluster, as a user does. */
  async delete(): Promise<void> {
    this.#connection?.close();
    await this.#run(["delete", "--yes", "--force"]);
  }

  /** Removes the home directory; deletes the cluster if it is still there. */
  async remove(): Promise<void> {
    this.#connection?.close();
    if (existsSync(join(this.#clusterDir, "cluster.json")))
      await this.#run(["delete", "--yes", "--force"]).catch((error: unknown) =>
        console.error(String(error)),
      );
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** Copies the logs and the journal to a folder, which is kept. */
  keepLogs(): string {
    const folder = mkdtempSync(join(tmpdir(), "wherry-node-crash-logs-"));
    const files = [join(this.#clusterDir, "server.log"), join(this.box, "agent.log")];
    // Some may vanish meanwhile.
    spawnSync("cp", ["-r", ...files, this.journal, folder]);
    return folder;
  }

  async #run(args: readonly string[], input?: Uint8Array): Promise<void> {
    const env = {
      ...process.env,
      ...{ HOME: this.home, XDG_DATA_HOME: join(this.home, "data"), TMPDIR: this.home },
      KUBECONFIG: join(this.home, "kubeconfig"),
    };
    const signal = AbortSignal.timeout(longestCommandMs);
    const options = { env, cwd: this.home, input, signal };
    const { code, stderr } = await runChild(process.execPath, [this.#program, ...args], options);
    if (code !== 0) throw new Error(`wherry ${args.join(" ")}: exit code ${code}: ${stderr}`);
  }
}

/** The directory of the node to which containers write what they do. */
export const journalPath = "/srv/journal";

const longestCommandMs = 240_000;
const patienceMs = 60_000;

function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

async function soon<T>(failure: string, look: () => T | undefined): Promise<T> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await wait(20)) {
    const found = look();
    if (found !== undefined) return found;
  }
  throw new Error(`${failure} for ${patienceMs / 1000} seconds`);
}
