import { lstat, mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Cidr, contains, formatIp, type Ip, parseIp } from "../../schema/values/ip.ts";
import { podAddresses } from "./pod-ranges.ts";

/**
 * The addresses of a node's pods. An address is a link to the name of its pod's sandbox, created before the address is
 * used and removed after that: whatever is interrupted, no two pods have one address, and no address is without a pod.
 */
export class PodAddresses {
  readonly #folder: string;
  /** The sandboxes of the addresses that are recorded in the folder. */
  readonly #owners = new Map<string, string>();
  /** The address of each family that was allocated last. */
  readonly #last = new Map<4 | 6, Ip>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<PodAddresses> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const addresses = new PodAddresses(folder);
    await addresses.#load();
    return addresses;
  }

  /**
   * Records an address of a range for a sandbox, or finds the one that it has. The search starts after the address
   * that was allocated last: one that was just released rests for a while.
   */
  async allocate(range: Cidr, sandboxId: string): Promise<string> {
    for (const text of this.of(sandboxId)) {
      const ip = parseIp(text);
      if (ip && contains(range, ip)) return text;
    }
    const { version } = range.ip;
    const last = this.#last.get(version);
    for (const ip of podAddresses(range, last && contains(range, last) ? last : undefined)) {
      const text = formatIp(ip);
      if (this.#owners.has(text) || !(await this.#claim(text, sandboxId))) continue;
      this.#last.set(version, ip);
      return text;
    }
    throw new Error(`no address is free in the pod range ${formatIp(range.ip)}/${range.prefix}`);
  }

  /** The addresses of a sandbox. */
  of(sandboxId: string): readonly string[] {
    return [...this.#owners].flatMap(([text, owner]) => (owner === sandboxId ? [text] : []));
  }

  /** The sandboxes that have addresses. */
  owners(): ReadonlySet<string> {
    return new Set(this.#owners.values());
  }

  async release(sandboxId: string): Promise<void> {
    for (const text of this.of(sandboxId)) {
      await rm(join(this.#folder, text), { force: true });
      this.#owners.delete(text);
    }
  }

  /** Reads what an earlier process has recorded; the newest record tells which address was the last. */
  async #load(): Promise<void> {
    const newest = new Map<4 | 6, number>();
    const read = async (name: string): Promise<void> => {
      const ip = parseIp(name);
      if (!ip) return;
      const path = join(this.#folder, name);
      const [owner, { mtimeMs }] = await Promise.all([readlink(path), lstat(path)]);
      this.#owners.set(name, owner);
      if (mtimeMs < (newest.get(ip.version) ?? 0)) return;
      newest.set(ip.version, mtimeMs);
      this.#last.set(ip.version, ip);
    };
    await Promise.all((await readdir(this.#folder)).map(read));
  }

  /** Records an address; false if a pod has it. */
  async #claim(text: string, sandboxId: string): Promise<boolean> {
    // Before the link is there: another call must not try the same one.
    this.#owners.set(text, sandboxId);
    try {
      await symlink(sandboxId, join(this.#folder, text));
      return true;
    } catch (error) {
      this.#owners.delete(text);
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      // Recorded by another process.
      this.#owners.set(text, await readlink(join(this.#folder, text)));
      return false;
    }
  }
}
