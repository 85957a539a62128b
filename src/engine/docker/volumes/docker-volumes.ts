import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Log } from "../../../base/log.ts";
import { writePrivateFile } from "../../../platform/files.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { volumeName } from "../create/mount-point.ts";
import { conflict, DockerError, notFound } from "../http/docker-error.ts";
import type { DockerEvents } from "../system/docker-events.ts";

/** A folder that outlives containers. */
export interface DockerVolume {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly options: Readonly<Record<string, string>> | null;
  readonly createdAt: number;
  /** Whether it was made without a name. */
  readonly isAnonymous: boolean;
  /** The container that it is made for, until that is recorded: without it, nobody would remove the volume. */
  readonly pendingFor?: string | undefined;
}

export interface NewVolume extends Partial<Pick<DockerVolume, "labels" | "options">> {
  /** Empty for a generated one. */
  readonly name: string;
  readonly driver?: string | undefined;
  readonly pendingFor?: string | undefined;
}

interface VolumesOptions {
  readonly folder: string;
  readonly events: DockerEvents;
  readonly now: () => number;
  /** The IDs of the containers that mount a volume. */
  readonly users: (name: string) => readonly string[];
  /** Whether a container is recorded. */
  readonly isRecorded: (id: string) => boolean;
  readonly log: Log;
}

/**
 * Reads the record of a volume. A folder without one is the rest of a creation or removal that was interrupted; one
 * whose record cannot be read has data that must not be lost.
 */
async function readVolume(folder: string): Promise<DockerVolume | undefined> {
  try {
    const volume = JSON.parse(await readFile(join(folder, "volume.json"), "utf8")) as DockerVolume;
    if (volume.name !== basename(folder)) throw new Error(`it is that of volume ${volume.name}`);
    return volume;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error("cannot read its record", { cause: error });
  }
}

/** The volumes of a node: `NAME/_data` in a folder, and what is recorded of each in `NAME/volume.json`. */
export class DockerVolumes {
  readonly #options: VolumesOptions;
  readonly #volumes = new Map<string, DockerVolume>();
  readonly #damaged = new Set<string>();

  private constructor(options: VolumesOptions) {
    this.#options = options;
  }

  static async open(options: VolumesOptions): Promise<DockerVolumes> {
    const volumes = new DockerVolumes(options);
    await mkdir(options.folder, { recursive: true, mode: 0o711 });
    const names = await readdir(options.folder);
    for (const name of names.filter((one) => /^\.?[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(one))) {
      const path = join(options.folder, name);
      const volume = await readVolume(path).catch((error) => {
        options.log.error("a volume is damaged", error, { path });
        return "damaged" as const;
      });
      if (volume === "damaged") {
        volumes.#damaged.add(name);
        continue;
      }
      const { pendingFor } = volume ?? {};
      if (volume && (pendingFor === undefined || options.isRecorded(pendingFor)))
        volumes.#volumes.set(name, volume);
      else await rm(path, { recursive: true, force: true });
    }
    return volumes;
  }

  list(): readonly DockerVolume[] {
    return [...this.#volumes.values()];
  }

  find(name: string): DockerVolume {
    const volume = this.#volumes.get(name);
    if (!volume) throw notFound(`get ${name}: no such volume`);
    return volume;
  }

  /** The folder of its content. */
  path(name: string): string {
    return join(this.#options.folder, name, "_data");
  }

  users(name: string): readonly string[] {
    return this.#options.users(name);
  }

  /** Creates a volume; one that exists is returned as it is. */
  async create(
    request: NewVolume,
  ): Promise<{ readonly volume: DockerVolume; readonly isNew: boolean }> {
    const { driver = "", labels = null, options = null } = request;
    if (driver !== "" && driver !== "local")
      throw notFound(`error looking up volume plugin ${driver}: plugin "${driver}" not found`);
    if (Object.keys(options ?? {}).length > 0)
      throw new DockerError(400, "options of local volumes are not supported by this engine");
    const name = request.name === "" ? randomBytes(32).toString("hex") : volumeName(request.name);
    const existing = this.#volumes.get(name);
    if (existing) return { volume: existing, isNew: false };
    const isAnonymous = request.name === "";
    const { pendingFor } = isAnonymous ? request : {};
    const createdAt = this.#options.now();
    const volume: DockerVolume = {
      ...{ name, labels, options, createdAt, isAnonymous },
      ...(pendingFor !== undefined && { pendingFor }),
    };
    // One that is damaged is not taken for a new one.
    if (this.#damaged.has(name)) throw conflict(`create ${name}: the volume is damaged`);
    this.#volumes.set(name, volume);
    try {
      await mkdir(this.path(name), { recursive: true });
      await chmod(this.path(name), 0o755);
      await this.#write(volume);
    } catch (error) {
      this.#volumes.delete(name);
      await rm(join(this.#options.folder, name), { recursive: true, force: true });
      throw error;
    }
    this.#emit("create", name);
    return { volume, isNew: true };
  }

  /** Keeps a volume whose container is recorded now. */
  async confirm(name: string): Promise<void> {
    const volume = this.#volumes.get(name);
    if (volume?.pendingFor === undefined) return;
    const { pendingFor: _, ...confirmed } = volume;
    await this.#write(confirmed);
    this.#volumes.set(name, confirmed);
  }

  /** Removes a volume that no container uses. */
  async remove(name: string): Promise<void> {
    this.find(name);
    const users = this.users(name);
    if (users.length > 0)
      throw conflict(`remove ${name}: volume is in use - [${users.join(", ")}]`);
    this.#volumes.delete(name);
    const folder = join(this.#options.folder, name);
    const leaving = join(this.#options.folder, `.${randomBytes(8).toString("hex")}`);
    await rm(join(folder, "volume.json"), { force: true });
    await rename(folder, leaving);
    await rm(leaving, { recursive: true, force: true });
    this.#emit("destroy", name);
  }

  /** The bytes of its content on disk. */
  async size(name: string): Promise<number> {
    const output = await mustRun("du", ["-sb", this.path(name)]);
    return Number(output.split("\t")[0]);
  }

  async #write(volume: DockerVolume): Promise<void> {
    const record = join(this.#options.folder, volume.name, "volume.json");
    await writePrivateFile(record, JSON.stringify(volume));
  }

  #emit(action: string, name: string): void {
    this.#options.events.emit({
      type: "volume",
      action,
      id: name,
      attributes: { driver: "local" },
    });
  }
}
