import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import { replacePrivateFile } from "../../../platform/files.ts";
import { decodeJson } from "../../../schema/json/decode.ts";
import { goJson } from "../../../schema/json/go-json.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import {
  ImagePulledRecord,
  ImagePullIntent,
  type PullRecords,
} from "../../images/access/pull-records.ts";

export interface PullRecordFilesOptions {
  /** The root folder of the kubelet. */
  readonly rootDir: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Opens the records of a node's pulls: upstream's files, named by the SHA-256 of what they are about. */
export async function openPullRecordFiles(options: PullRecordFilesOptions): Promise<PullRecords> {
  const { rootDir, log, metrics } = options;
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `kubelet_imagemanager_ondisk_${name}`, help, stability: "ALPHA" }).of();
  const folder = (name: string) => join(rootDir, "image_manager", name);
  const pulling = await openFolder<ImagePullIntent>(folder("pulling"), {
    ...{ kind: "ImagePullIntent", struct: ImagePullIntent, log },
    files: gauge("pullintents", "Number of ImagePullIntents stored on disk."),
  });
  const pulled = await openFolder<ImagePulledRecord>(folder("pulled"), {
    ...{ kind: "ImagePulledRecord", struct: ImagePulledRecord, log },
    files: gauge("pulledrecords", "Number of ImagePulledRecords stored on disk."),
  });
  return {
    intents: async () => (await pulling.list()).map(({ image }) => image),
    hasIntent: async (image) => (await pulling.read(image))?.image === image,
    writeIntent: (image) => pulling.write(image, { image }),
    removeIntent: (image) => pulling.remove(image),
    pulled: () => pulled.list(),
    async pulledRecord(imageRef) {
      const record = await pulled.read(imageRef);
      return record?.imageRef === imageRef ? record : undefined;
    },
    writePulled: (record) => pulled.write(record.imageRef, record),
    removePulled: (imageRef) => pulled.remove(imageRef),
  };
}

/** A folder with a file for each key. */
interface RecordFolder<R> {
  /** The records that can be read. */
  list(): Promise<readonly R[]>;
  /** Undefined if there is no file; rejects if it cannot be read. */
  read(key: string): Promise<R | undefined>;
  write(key: string, record: R): Promise<void>;
  remove(key: string): Promise<void>;
}

interface RecordFolderOptions {
  readonly kind: string;
  readonly struct: Struct;
  readonly files: { set(count: number): void };
  readonly log: Log;
}

async function openFolder<R extends object>(
  folder: string,
  { kind, struct, files, log }: RecordFolderOptions,
): Promise<RecordFolder<R>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = async (): Promise<readonly string[]> =>
    (await readdir(folder)).filter((name) => fileName.test(name));
  const pathOf = (key: string): string => {
    const digest = createHash("sha256").update(key).digest("hex");
    return join(folder, `sha256-${digest}`);
  };
  const count = async (): Promise<void> => files.set((await names()).length);
  await count();
  return {
    async list() {
      const found: R[] = [];
      for (const name of await names())
        try {
          found.push(parse<R>(await readFile(join(folder, name), "utf8"), kind, struct));
        } catch (error) {
          log.warn("reading a record of an image pull failed", { file: name, error });
        }
      return found;
    },
    async read(key) {
      const text = await readFile(pathOf(key), "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      return text === undefined ? undefined : parse<R>(text, kind, struct);
    },
    async write(key, record) {
      await replacePrivateFile(pathOf(key), `${goJson({ kind, apiVersion, ...record })}\n`);
      await count();
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
      await count();
    },
  };
}

const fileName = /^sha256-[0-9a-f]{64}$/;
const apiVersion = "kubelet.config.k8s.io/v1beta1";
/** Earlier kubelets wrote the same records as v1alpha1. */
const readVersions: readonly unknown[] = [apiVersion, "kubelet.config.k8s.io/v1alpha1"];

/** Parses a record; throws if it is none, or has fields that are not known. */
function parse<R extends object>(text: string, kind: string, struct: Struct): R {
  const { value, strict } = decodeJson(struct, text);
  const record = value as R & { readonly kind?: string; readonly apiVersion?: string };
  if (record.kind !== kind || !readVersions.includes(record.apiVersion))
    throw new Error(`not a ${kind}: ${record.apiVersion} ${record.kind}`);
  if (strict.length > 0) throw new Error(`strict decoding error: ${strict.join(", ")}`);
  return record;
}
