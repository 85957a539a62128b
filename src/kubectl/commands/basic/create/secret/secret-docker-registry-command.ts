import { stringFlag, stringsFlag } from "../../../../../cli/flag.ts";
import { goJson } from "../../../../../schema/json/go-json.ts";
import { createObjectCommand } from "../create-object-command.ts";
import { addFiles } from "../key-files.ts";
import { appendHashFlags, secretContent, secretKind, secretObject } from "./secret-object.ts";

export const createSecretDockerRegistryCommand = createObjectCommand({
  command: {
    name: "docker-registry",
    usage:
      "NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
    short: "Create a secret for use with a Docker registry",
    long: `Create a secret with which images are pulled from a registry.

It holds what 'docker login' writes to its configuration: the server, a user name, a password and, if given, an email address. Nodes use it for pods whose service account names it.`,
    examples: `# Create the secret from a user and a password
kubectl create secret docker-registry my-secret --docker-server=DOCKER_REGISTRY_SERVER --docker-username=DOCKER_USER --docker-password=DOCKER_PASSWORD --docker-email=DOCKER_EMAIL

# Create the secret from a configuration of docker
kubectl create secret docker-registry my-secret --from-file=path/to/.docker/config.json`,
  },
  flags: {
    "docker-username": stringFlag({ usage: "The user at the registry" }),
    "docker-password": stringFlag({ usage: "The user's password at the registry" }),
    "docker-email": stringFlag({ usage: "The user's email address at the registry" }),
    "docker-server": stringFlag({
      default: "https://index.docker.io/v1/",
      usage: "The URL of the registry",
    }),
    "from-file": stringsFlag({
      usage:
        "A file with credentials; key=file names another key than .dockerconfigjson, which should be there.",
    }),
    ...appendHashFlags,
  },
  kind: secretKind,
  failure: () => "failed to create secret ",
  needsName: true,
  async generate(plan, { cwd }) {
    const { flags } = plan;
    // A file without a key is the one that this type of secret must have.
    const files = flags["from-file"].map((one) =>
      one.includes("=") ? one : `.dockerconfigjson=${one}`,
    );
    const { "docker-username": username, "docker-password": password } = flags;
    const { "docker-email": email, "docker-server": server } = flags;
    if (files.length === 0 && (username === "" || password === "" || server === ""))
      throw new Error(
        "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
      );
    const { data, add } = secretContent();
    await addFiles(files, cwd, add);
    if (files.length === 0) {
      const auth = Buffer.from(`${username}:${password}`).toString("base64");
      const entry = { username, password, ...(email !== "" && { email }), auth };
      add(".dockerconfigjson", Buffer.from(goJson({ auths: { [server]: entry } })));
    }
    return secretObject(plan, "kubernetes.io/dockerconfigjson", data);
  },
});
