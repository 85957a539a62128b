import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CniError } from "../../../cri/cni/cni-error.ts";
import { formatIp, type Ip, parseIp } from "../../../schema/values/ip.ts";

/** An interface that has an address; without a name in files of old versions. */
export interface Owner {
  readonly containerId: string;
  readonly ifName?: string | undefined;
}

/**
 * The addresses of a network that are given away, one file each, with its owner in it: as other implementations have
 * it, so that they and this one can take turns. Everything here needs the lock.
 */
export class AddressFiles {
  readonly #folder: string;

  /** Runs work while no other process works on the network. */
  static locked<T>(folder: string, work: (files: AddressFiles) => T): T {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const lock = openSync(join(folder, "lock"), "a", 0o600);
    try {
      // The lock belongs to what is open, which the child shares: it stays when the child has ended.
      const { status, error } = spawnSync(
        "flock",
        ["--exclusive", "--timeout", String(patience), "3"],
        {
          stdio: ["ignore", "ignore", "ignore", lock],
        },
      );
      if (status !== 0)
        throw new CniError(
          "tryAgainLater",
          `cannot lock ${folder}`,
          error?.message ?? "another process has locked it",
        );
      return work(new AddressFiles(folder));
    } finally {
      closeSync(lock);
    }
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Gives an address away; false if it has been. A process that is killed leaves no file without an owner. */
  reserve(ip: Ip, { containerId, ifName }: Owner, set: number): boolean {
    const text = formatIp(ip);
    if (existsSync(join(this.#folder, text))) return false;
    const draft = join(this.#folder, `.${process.pid}.new`);
    writeFileSync(draft, `${containerId}\r\n${ifName}`, { mode: 0o600 });
    try {
      linkSync(draft, join(this.#folder, text));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    writeFileSync(this.#lastFile(set), text, { mode: 0o600 });
    return true;
  }

  /** The address of a set that was given away last. */
  last(set: number): Ip | undefined {
    try {
      return parseIp(readFileSync(this.#lastFile(set), "utf8").trim());
    } catch {
      return undefined;
    }
  }

  /** All addresses that are given away. */
  list(): readonly { readonly ip: Ip; readonly owner: Owner }[] {
    return readdirSync(this.#folder).flatMap((name) => {
      const ip = parseIp(name);
      const owner = ip && this.#owner(name);
      return ip && owner ? [{ ip, owner }] : [];
    });
  }

  /** The addresses of an interface. */
  of(containerId: string, ifName: string): readonly Ip[] {
    return this.list().flatMap(({ ip, owner }) => (owns(owner, containerId, ifName) ? [ip] : []));
  }

  /** Takes the addresses of some owners back. */
  release(wanted: (owner: Owner) => boolean): void {
    for (const { ip, owner } of this.list()) if (wanted(owner)) this.remove(ip);
  }

  remove(ip: Ip): void {
    rmSync(join(this.#folder, formatIp(ip)), { force: true });
  }

  #owner(name: string): Owner | undefined {
    try {
      const [containerId = "", ifName] = readFileSync(join(this.#folder, name), "utf8")
        .trim()
        .split(/\r?\n/);
      return { containerId, ifName };
    } catch {
      return undefined;
    }
  }

  #lastFile(set: number): string {
    return join(this.#folder, `last_reserved_ip.${set}`);
  }
}

export const owns = (owner: Owner, containerId: string, ifName: string): boolean =>
  owner.containerId === containerId && (owner.ifName === undefined || owner.ifName === ifName);

/** How many seconds others may work. */
const patience = 60;
