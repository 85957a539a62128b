import { boolFlag, type Flags, stringFlag, type Values } from "../../../../cli/flag.ts";
import { type DynamicObject, dynamicKind } from "../../../../client/resource-kind.ts";
import { isTerminal } from "../../../program/io.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { listAccess } from "./list-access.ts";

const canIFlags = {
  "all-namespaces": boolFlag({
    short: "A",
    usage: "If true, check the specified action in all namespaces.",
  }),
  quiet: boolFlag({
    short: "q",
    usage: "If true, suppress output and just return the exit code.",
  }),
  subresource: stringFlag({ usage: "SubResource such as pod/log or deployment/scale" }),
  list: boolFlag({ usage: "If true, prints all allowed actions." }),
  "no-headers": boolFlag({ usage: "If true, prints allowed actions without headers" }),
} satisfies Flags;

export const canICommand = kubectlCommand({
  name: "can-i",
  usage: "VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
  short: "Check whether an action is allowed",
  long: `Check whether an action is allowed.

VERB is what is done: 'get', 'list', 'watch', 'delete', and so on. TYPE is a resource; its short names and its group may be given. NONRESOURCEURL is a path that begins with "/". NAME is the name of an object.

With the global flag --as, the actions of another user are checked.`,
  examples: `# Check to see if I can create pods in any namespace
kubectl auth can-i create pods --all-namespaces

# Check to see if I can list deployments in my current namespace
kubectl auth can-i list deployments.apps

# Check to see if service account "foo" of namespace "dev" can list pods in the namespace "prod"
kubectl auth can-i list pods --as=system:serviceaccount:dev:foo -n prod

# Check to see if I can do everything in my current namespace ("*" means all)
kubectl auth can-i '*' '*'

# Check to see if I can get the job named "bar" in namespace "foo"
kubectl auth can-i list jobs.batch/bar -n foo

# Check to see if I can read pod logs
kubectl auth can-i get pods --subresource=log

# Check to see if I can access the URL /logs/
kubectl auth can-i get /logs/

# List all allowed actions in namespace "foo"
kubectl auth can-i --list --namespace=foo`,
  flags: canIFlags,
  async run(context) {
    const { flags, args, factory } = context;
    if (flags.list && args.length > 0)
      throw new Error("list option must be specified with no arguments");
    const question = flags.list ? undefined : await questionOf(context);
    const namespace = flags["all-namespaces"] ? "" : (await factory.namespace()).namespace;
    if (question === undefined) {
      if (flags.quiet || flags["all-namespaces"] || flags.subresource !== "")
        throw new Error(
          "list option can't be specified with neither quiet, all-namespaces nor subresource options",
        );
      await listAccess(context, {
        namespace,
        noHeaders: flags["no-headers"],
        warn: warner(context),
      });
      return 0;
    }
    check(question, flags, warner(context));
    const review = await send(context, specOf(question, flags, namespace));
    return report(context, review, flags.quiet) ? 0 : 1;
  },
});

type CanIFlags = Values<typeof canIFlags>;
type CanIContext = CommandContext<typeof canIFlags>;

/** What is to be done with what. */
interface Question {
  readonly verb: string;
  readonly url: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  /** Whether objects of the resource have no namespace. */
  readonly isOfCluster: boolean;
}

/** Prints a warning of the command itself, which is not counted among those of servers. */
const warner =
  ({ io }: Pick<CommandContext, "io">) =>
  (text: string): void => {
    const word = isTerminal(io.stderr) ? "\u001b[33;1mWarning:\u001b[0m" : "Warning:";
    io.stderr.write(`${word} ${text}\n`);
  };

async function questionOf(context: CanIContext): Promise<Question> {
  const [verb, what] = context.args;
  if (verb === undefined || what === undefined || context.args.length !== 2)
    throw new Error(
      "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
    );
  const nothing = { verb, url: "", group: "", resource: "", name: "", isOfCluster: false };
  if (what.startsWith("/")) return { ...nothing, url: what };
  const slash = what.indexOf("/");
  const type = slash < 0 ? what : what.slice(0, slash);
  const name = slash < 0 ? "" : what.slice(slash + 1);
  return { ...nothing, ...(await resourceOf(context, type)), name };
}

async function resourceOf(
  context: CanIContext,
  type: string,
): Promise<Pick<Question, "group" | "resource" | "isOfCluster">> {
  const unknown = { group: "", resource: type, isOfCluster: false };
  if (type === "*") return unknown;
  const [resource = "", ...rest] = type.toLowerCase().split(".");
  const group = rest.join(".");
  try {
    const mapper = await context.factory.mapper();
    const kind = await mapper.named(type.toLowerCase());
    return { group: kind.group, resource: kind.plural, isOfCluster: kind.scope === "Cluster" };
  } catch (error) {
    context.factory.logUnreachable(error, rest.length > 1 ? 4 : 2);
    const isSubject = group === "" && (resource === "users" || resource === "groups");
    const place = group === "" ? "" : ` in group '${group}'`;
    if (!isSubject)
      warner(context)(`the server doesn't have a resource type '${resource}'${place}\n`);
    return unknown;
  }
}

const resourceVerbs: ReadonlySet<string> = new Set([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "use",
  "bind",
  "impersonate",
  "*",
  "approve",
  "sign",
  "escalate",
  "attest",
]);
const urlVerbs: ReadonlySet<string> = new Set([
  "get",
  "put",
  "post",
  "head",
  "options",
  "delete",
  "patch",
  "*",
]);

function check(question: Question, flags: CanIFlags, warn: (text: string) => void): void {
  const { url, verb, resource, group, isOfCluster } = question;
  if (url !== "") {
    if (flags.subresource !== "")
      throw new Error("--subresource can not be used with NonResourceURL");
    if (!urlVerbs.has(verb)) warn(`verb '${verb}' is not a known verb\n`);
  } else if (resource !== "" && !flags["all-namespaces"]) {
    const place = group === "" ? "" : ` in group '${group}'`;
    if (isOfCluster) warn(`resource '${resource}' is not namespace scoped${place}\n`);
    if (!resourceVerbs.has(verb)) warn(`verb '${verb}' is not a known verb\n`);
  }
  if (flags["no-headers"]) throw new Error("--no-headers cannot be set without --list specified");
}

function specOf(
  { verb, url, group, resource, name }: Question,
  { subresource }: CanIFlags,
  namespace: string,
): object {
  if (url !== "") return { nonResourceAttributes: { path: url, verb } };
  const attributes = { namespace, verb, group, resource, subresource, name };
  return {
    resourceAttributes: Object.fromEntries(
      Object.entries(attributes).filter(([, value]) => value !== ""),
    ),
  };
}

const accessReview = dynamicKind({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  scope: "Cluster",
});

async function send({ factory, signal }: CanIContext, spec: object): Promise<DynamicObject> {
  const client = await factory.client();
  const options = { signal, onWarning: (text: string) => factory.warn(text) };
  return helper(client, accessReview, options).create("", {
    kind: accessReview.kind,
    apiVersion: `${accessReview.group}/${accessReview.version}`,
    metadata: {},
    spec,
    status: { allowed: false },
  });
}

function report({ io }: CanIContext, { status }: DynamicObject, isQuiet: boolean): boolean {
  const {
    allowed = false,
    reason = "",
    evaluationError = "",
  } = (status ?? {}) as {
    readonly allowed?: boolean;
    readonly reason?: string;
    readonly evaluationError?: string;
  };
  const whys = [reason, evaluationError].filter((text) => text !== "");
  const text = allowed ? "yes" : ["no", ...whys].join(" - ");
  if (!isQuiet) io.stdout.write(`${text}\n`);
  return allowed;
}
