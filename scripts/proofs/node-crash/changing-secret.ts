import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ConfigMap } from "../../../src/api/core/v1/config-map.ts";
import { Secret } from "../../../src/api/core/v1/secret.ts";
import { ignoreNotFound } from "../../../src/client/ignore-not-found.ts";
import type { CrashCluster } from "./crash-cluster.ts";
import { repeated } from "./live-pod.ts";

/** How old files of a secret may be after it was changed. */
const oldestMs = 60_000;
const changeMs = 4000;

/** A secret and a config map that change all the time, and how long pods took to see it. */
export class ChangingSecret {
  readonly #cluster: CrashCluster;
  /** When the change to a version was answered. */
  readonly #changed = new Map<number, number>();
  #version = 0;
  /** The longest time that a pod had an old version. */
  longestMs = 0;

  constructor(cluster: CrashCluster) {
    this.#cluster = cluster;
  }

  /** Writes a new version. */
  async change(): Promise<void> {
    const version = ++this.#version;
    const { client } = this.#cluster.connection;
    const key = { namespace: "default", name: "crash" };
    const data = { version: String(version) };
    const write = { metadata: key };
    await repeated("the secret is written", async () => {
      const found = await ignoreNotFound(client.get(Secret, key));
      if (found) return client.patch(Secret, key, { merge: { stringData: data } });
      return client.create(Secret, { ...write, stringData: data });
    });
    await repeated("the config map is written", async () => {
      const found = await ignoreNotFound(client.get(ConfigMap, key));
      if (found) return client.patch(ConfigMap, key, { merge: { data } });
      return client.create(ConfigMap, { ...write, data });
    });
    this.#changed.set(version, Date.now());
  }

  /** Changes the secret until the signal, and rejects if a pod has an old version for too long. */
  async follow(pods: readonly string[], signal: AbortSignal): Promise<void> {
    for (let next = 0; !signal.aborted; await wait(250)) {
      for (const pod of pods) this.#look(pod);
      if (Date.now() < next) continue;
      await this.change();
      next = Date.now() + changeMs;
    }
  }

  /** Compares what a pod sees with what it should. */
  #look(pod: string): void {
    const path = join(this.#cluster.journal, `${pod}.seen`);
    const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
    for (const line of lines) {
      const [version = "", what] = line.split(" ");
      const since = this.#changed.get(Number(version) + 1);
      const age = since === undefined ? 0 : Date.now() - since;
      this.longestMs = Math.max(this.longestMs, age);
      if (age > oldestMs)
        throw new Error(`${pod}: ${what} has version ${version} ${age} ms after it was changed`);
    }
  }
}
