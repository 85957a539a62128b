import { stringArrayFlag, stringFlag, stringsFlag } from "../../../../../cli/flag.ts";
import { createObjectCommand } from "../create-object-command.ts";
import { addEnvFiles } from "../env-files.ts";
import { addFiles, addLiterals } from "../key-files.ts";
import { appendHashFlags, secretContent, secretKind, secretObject } from "./secret-object.ts";

export const createSecretGenericCommand = createObjectCommand({
  command: {
    name: "generic",
    usage:
      "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    short: "Create a secret from a local file, directory, or literal value",
    long: `Create a secret from files, folders or literal values; it may have many keys.

The key of a file is its name unless another is given. Of a folder, each regular file whose name is a valid key becomes a key; folders, links and devices in it are skipped.`,
    examples: `# Create a secret with a key for each file of the folder bar
kubectl create secret generic my-secret --from-file=path/to/bar

# Name the keys of files
kubectl create secret generic my-secret --from-file=ssh-privatekey=path/to/id_rsa --from-file=ssh-publickey=path/to/id_rsa.pub

# Create a secret with two literal values
kubectl create secret generic my-secret --from-literal=key1=supersecret --from-literal=key2=topsecret

# Read the pairs of files
kubectl create secret generic my-secret --from-env-file=path/to/foo.env --from-env-file=path/to/bar.env`,
  },
  flags: {
    "from-file": stringsFlag({
      usage:
        "A file whose name becomes the key, key=file for another key, or a folder for all of its files.",
    }),
    "from-literal": stringArrayFlag({ usage: "A key and its value: mykey=somevalue" }),
    "from-env-file": stringsFlag({ usage: "A file with a pair key=value on each line." }),
    type: stringFlag({ usage: "The type of the secret" }),
    ...appendHashFlags,
  },
  kind: secretKind,
  failure: () => "failed to create secret ",
  needsName: true,
  async generate(plan, { cwd, env }) {
    const { "from-file": files, "from-literal": literals, "from-env-file": envFiles } = plan.flags;
    if (envFiles.length > 0 && files.length + literals.length > 0)
      throw new Error("from-env-file cannot be combined with from-file or from-literal");
    const { data, add } = secretContent();
    addLiterals(literals, add);
    await addFiles(files, cwd, add);
    await addEnvFiles(envFiles, { cwd, env, what: "secret" }, add);
    return secretObject(plan, plan.flags.type, data);
  },
});
