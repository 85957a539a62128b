import { boolFlag, stringArrayFlag, stringsFlag } from "../../../../cli/flag.ts";
import { isConfigMapKey } from "../../../../schema/values/names.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { contentHash } from "./content-hash.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { addEnvFiles } from "./env-files.ts";
import { type AddKey, addFiles, addLiterals } from "./key-files.ts";
import { mapMember, newObject } from "./new-object.ts";

export const createConfigMapCommand = createObjectCommand({
  command: {
    name: "configmap",
    aliases: ["cm"],
    usage:
      "NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    short: "Create a config map from a local file, directory or literal value",
    long: `Create a config map from files, folders or literal values; it may have many keys.

The key of a file is its name unless another is given. Of a folder, each regular file whose name is a valid key becomes a key; folders, links and devices in it are skipped.`,
    examples: `# Create a config map with a key for each file of the folder bar
kubectl create configmap my-config --from-file=path/to/bar

# Name the keys of files
kubectl create configmap my-config --from-file=key1=/path/to/bar/file1.txt --from-file=key2=/path/to/bar/file2.txt

# Create a config map with two literal values
kubectl create configmap my-config --from-literal=key1=config1 --from-literal=key2=config2

# Read the pairs of a file
kubectl create configmap my-config --from-env-file=path/to/foo.env`,
  },
  flags: {
    "from-file": stringsFlag({
      usage:
        "A file whose name becomes the key, key=file for another key, or a folder for all of its files.",
    }),
    "from-literal": stringArrayFlag({ usage: "A key and its value: mykey=somevalue" }),
    "from-env-file": stringsFlag({ usage: "A file with a pair key=value on each line." }),
    "append-hash": boolFlag({ usage: "Append a hash of the content to the name." }),
  },
  kind: { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" },
  failure: () => "failed to create configmap: ",
  needsName: true,
  async generate({ name, namespace, flags }, { cwd, env }) {
    const { "from-file": files, "from-literal": literals, "from-env-file": envFiles } = flags;
    if (envFiles.length > 0 && files.length + literals.length > 0)
      throw new Error("from-env-file cannot be combined with from-file or from-literal");
    const { data, binaryData, add, addText } = contentOf(name);
    await addFiles(files, cwd, add);
    addLiterals(literals, addText);
    await addEnvFiles(envFiles, { cwd, env, what: "config" }, addText);
    const content = { data, ...mapMember("binaryData", binaryData) };
    const hash = flags["append-hash"]
      ? `-${contentHash({ kind: "ConfigMap", name, ...content })}`
      : "";
    return newObject(
      "v1 ConfigMap",
      { name: `${name}${hash}`, namespace },
      { ...mapMember("data", data), ...mapMember("binaryData", binaryData) },
    );
  },
});

function contentOf(name: string) {
  const data: Record<string, string> = {};
  const binaryData: Record<string, string> = {};
  const check = (key: string): void => {
    const faults = isConfigMapKey(key);
    if (faults.length > 0)
      throw new Error(`${quote(key)} is not a valid key name for a ConfigMap: ${faults.join(",")}`);
    for (const [member, map] of Object.entries({ Data: data, BinaryData: binaryData }))
      if (Object.hasOwn(map, key))
        throw new Error(
          `cannot add key ${quote(key)}, another key by that name already exists in ${member} for ConfigMap ${quote(name)}`,
        );
  };
  const addText: AddKey = (key, value) => {
    check(key);
    data[key] = Buffer.from(value).toString("utf8");
  };
  const add: AddKey = (key, value) => {
    const text = utf8Text(value);
    check(key);
    if (text === undefined) binaryData[key] = Buffer.from(value).toString("base64");
    else data[key] = text;
  };
  return { data, binaryData, add, addText };
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
