import type { KeyToPath } from "../../../../api/core/v1/volume/key-to-path.ts";
import type { BinaryData } from "../../../pod/reference-reader.ts";
import type { FileContent, VolumeFiles } from "./file-content.ts";

/** What of a config map or a secret a volume shows. */
export interface KeyedSource {
  readonly of: "configMap" | "secret";
  readonly name: string;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly defaultMode: number;
  readonly optional: boolean;
}

/** The files of a config map or a secret; throws if something is missing that is not optional. */
export function keyedFiles(source: KeyedSource, data: BinaryData | undefined): VolumeFiles {
  const { of, name, items = [], defaultMode, optional } = source;
  if (!data && !optional) throw new Error(`${of.toLowerCase()} "${name}" not found`);
  const values = data ?? {};
  if (items.length === 0)
    return new Map(
      Object.entries(values).map(([key, bytes]) => [key, { bytes, mode: defaultMode }]),
    );
  const files = new Map<string, FileContent>();
  for (const { key, path, mode = defaultMode } of items) {
    const bytes = Object.hasOwn(values, key) ? values[key] : undefined;
    if (bytes) files.set(path, { bytes, mode });
    else if (!optional) throw new Error(`${missingKey[of]} key: ${key}`);
  }
  return files;
}

const missingKey = {
  configMap: "configmap references non-existent config",
  secret: "references non-existent secret",
};
