import { durationFlag, stringArrayFlag, stringFlag, type Values } from "../../../../cli/flag.ts";
import { decodeResponse } from "../../../../client/decode-response.ts";
import { type DynamicObject, dynamicKind } from "../../../../client/resource-kind.ts";
import { resourcePath } from "../../../../client/resource-path.ts";
import { isTerminal } from "../../../program/io.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";
import { nameArgument } from "./name-argument.ts";

const boundKinds = ["Node", "Pod", "Secret"];

const tokenFlags = {
  ...outputFlags,
  audience: stringArrayFlag({
    usage:
      "For whom the token is; the API server by default. May be repeated for several audiences.",
  }),
  duration: durationFlag({
    usage:
      "How long the token is valid. Zero leaves it to the server, which may also change what is requested.",
  }),
  "bound-object-kind": stringFlag({
    usage: `The kind of an object with which the token ends: ${boundKinds.join(", ")}. Needs --bound-object-name.`,
  }),
  "bound-object-name": stringFlag({
    usage: "The name of the object with which the token ends. Needs --bound-object-kind.",
  }),
  "bound-object-uid": stringFlag({
    usage:
      "The UID of the object with which the token ends, if it must be that one. Needs --bound-object-kind and --bound-object-name.",
  }),
};

export const createTokenCommand = kubectlCommand({
  name: "token",
  usage: "SERVICE_ACCOUNT_NAME",
  short: "Request a service account token",
  long: "Request a token of a service account.",
  examples: `# Request a token of the service account myapp
kubectl create token myapp

# Request one of another namespace
kubectl create token myapp --namespace myns

# Request a token that is valid for ten minutes
kubectl create token myapp --duration 10m

# Request a token for another audience
kubectl create token myapp --audience https://example.com

# Request a token that ends with a secret
kubectl create token myapp --bound-object-kind Secret --bound-object-name mysecret`,
  flags: tokenFlags,
  async run(context) {
    const { flags, factory, io, given, signal } = context;
    const name = nameArgument(context);
    const { namespace } = await factory.namespace();
    const print = objectPrinter(context, { operation: "created", keepsOrder: true });
    checkToken(name, flags);
    const client = await factory.client();
    let token: DynamicObject;
    try {
      const response = await client.raw({
        method: "POST",
        path: resourcePath(serviceAccounts, { namespace, name, subresource: "token" }),
        headers: { accept: "application/json" },
        body: tokenRequest(flags),
        signal,
      });
      token = (await decodeResponse(response, {
        onWarning: (text) => factory.warn(text),
        request: { method: "POST", kind: serviceAccounts, name },
      })) as DynamicObject;
    } catch (cause) {
      throw new Error(`failed to create token: ${(cause as Error).message}`, { cause });
    }
    const text = (token.status as { readonly token?: string } | undefined)?.token ?? "";
    if (text === "") throw new Error("failed to create token: no token in server response");
    if (given.has("output")) print(token);
    else io.stdout.write(isTerminal(io.stdout) ? `${text}\n` : text);
    return undefined;
  },
});

const serviceAccounts = dynamicKind({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  scope: "Namespaced",
});

function checkToken(name: string, flags: Values<typeof tokenFlags>): void {
  const { duration, audience } = flags;
  const kind = flags["bound-object-kind"];
  if (name === "") throw new Error("service account name is required");
  if (duration < 0) throw new Error("--duration must be greater than or equal to 0");
  if (duration % 1000 !== 0)
    throw new Error("--duration cannot be expressed in units less than seconds");
  if (audience.includes("")) throw new Error("--audience must not be an empty string");
  if (kind === "") {
    for (const flag of ["bound-object-name", "bound-object-uid"] as const)
      if (flags[flag] !== "")
        throw new Error(`--${flag} can only be set if --bound-object-kind is provided`);
    return;
  }
  if (!boundKinds.includes(kind))
    throw new Error(`supported --bound-object-kind values are ${boundKinds.join(", ")}`);
  if (flags["bound-object-name"] === "")
    throw new Error("--bound-object-name is required if --bound-object-kind is provided");
}

function tokenRequest(flags: Values<typeof tokenFlags>): object {
  const { duration, audience } = flags;
  const kind = flags["bound-object-kind"];
  const uid = flags["bound-object-uid"];
  const boundObjectRef = {
    kind,
    apiVersion: "v1",
    name: flags["bound-object-name"],
    ...(uid !== "" && { uid }),
  };
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {},
    spec: {
      audiences: audience.length > 0 ? audience : null,
      ...(duration > 0 && { expirationSeconds: duration / 1000 }),
      boundObjectRef: kind === "" ? null : boundObjectRef,
    },
    status: { token: "", expirationTimestamp: null },
  };
}
