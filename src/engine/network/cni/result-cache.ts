import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type CniResult, readResult, writeResult } from "../../../cri/cni/cni-result.ts";
import { latestCniVersion } from "../../../cri/cni/cni-version.ts";
import { replacePrivateFile } from "../../../platform/files.ts";
import { formatCniNetwork, parseCniNetwork } from "./cni-network-config.ts";
import type { Attachment, ChosenNetwork } from "./network-calls.ts";

/** An attachment that exists, or that was begun. */
export interface CachedAttachment extends ChosenNetwork, Attachment {
  /** Absent until it is complete. */
  readonly result: CniResult | undefined;
}

/**
 * How pods were connected, so that they are disconnected in the same way: one file for each attachment, as other
 * runtimes have it.
 */
export class ResultCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, "results");
  }

  async write(attachment: CachedAttachment): Promise<void> {
    const { config, cniVersion, containerId, ifName, netns, args, capabilityArgs, result } =
      attachment;
    const text = JSON.stringify({
      ...{ kind, containerId },
      config: Buffer.from(formatCniNetwork(config)).toString("base64"),
      ...{ ifName, networkName: config.name, netns, cniArgs: args, capabilityArgs, cniVersion },
      ...(result && { result: writeResult(result, latestCniVersion) }),
    });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await replacePrivateFile(this.#path(attachment), text);
  }

  /** The attachments of a pod; one that cannot be read is none. */
  async of(containerId: string): Promise<readonly CachedAttachment[]> {
    const all = await this.#read((name) => name.includes(`-${containerId}-`));
    return all.filter((one) => one.containerId === containerId);
  }

  all(): Promise<readonly CachedAttachment[]> {
    return this.#read(() => true);
  }

  async remove(attachment: CachedAttachment): Promise<void> {
    await rm(this.#path(attachment), { force: true });
  }

  async #read(wanted: (name: string) => boolean): Promise<readonly CachedAttachment[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter(wanted).sort();
    const texts = names.map((name) => readFile(join(this.#folder, name), "utf8").catch(() => ""));
    return (await Promise.all(texts)).map(parseCached).filter((one) => one !== undefined);
  }

  #path({ config: { name }, containerId, ifName }: CachedAttachment): string {
    return join(this.#folder, `${name}-${containerId}-${ifName}`);
  }
}

const kind = "cniCacheV1";

/** Undefined if it is damaged: then the configuration of today disconnects the pod. */
function parseCached(text: string): CachedAttachment | undefined {
  try {
    const found = JSON.parse(text) as Cached;
    if (found.kind !== kind) return undefined;
    const { containerId, ifName, netns = "", cniArgs = [], capabilityArgs = {}, result } = found;
    const config = parseCniNetwork(Buffer.from(found.config, "base64").toString("utf8"));
    const cniVersion = found.cniVersion ?? config.cniVersions.at(-1) ?? "";
    return {
      ...{ config, cniVersion, containerId, ifName, netns, args: cniArgs, capabilityArgs },
      result: result && readResult(result, cniVersion),
    };
  } catch {
    return undefined;
  }
}

interface Cached {
  readonly kind: string;
  readonly containerId: string;
  /** In base64. */
  readonly config: string;
  readonly ifName: string;
  readonly netns?: string;
  readonly cniArgs?: Attachment["args"];
  readonly capabilityArgs?: Attachment["capabilityArgs"];
  readonly cniVersion?: string;
  readonly result?: object;
}
