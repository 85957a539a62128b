import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { tableFormats } from "../../print/print-flags.ts";
import { UnsortableError } from "../../print/sort-objects.ts";
import { ExitError, usageError } from "../../program/command-error.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { namesFiles } from "../shared/filename-flags.ts";
import { klog } from "../shared/klog.ts";
import { rawRequest } from "../shared/raw-request.ts";
import { printsTable } from "../shared/table-output.ts";
import { checkGetFlags, type GetContext, getFlags } from "./get/get-flags.ts";
import { getQuery } from "./get/get-query.ts";
import { printTables } from "./get/print-tables.ts";
import { printWhole } from "./get/print-whole.ts";
import { suggestResource } from "./get/suggest-resource.ts";
import { watchObjects } from "./get/watch-objects.ts";

export const getCommand = kubectlCommand({
  name: "get",
  usage: `[(-o|--output=)${tableFormats().join("|")}] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]`,
  short: "Display one or many resources",
  long: `Display one or many resources.

Prints a table with what matters most of each object. A label selector narrows it down. Objects that have a namespace are looked for in the current one, unless a flag names another.

With -o, whole objects are printed as JSON or YAML, or parts of them by a template.

Use "kubectl api-resources" for a complete list of supported resources.`,
  examples: `# List all pods of the namespace
kubectl get pods

# With more columns, such as the node
kubectl get pods -o wide

# One deployment, in version v1 of the API group apps, as JSON
kubectl get deployments.v1.apps web -o json

# The objects of a file, as they are now
kubectl get -f pod.yaml -o yaml

# Columns of one's own
kubectl get pod web-0 -o custom-columns=CONTAINER:.spec.containers[0].name,IMAGE:.spec.containers[0].image

# Objects of several types
kubectl get rc,services
kubectl get rc/web service/frontend

# The pods of all namespaces, and then each change
kubectl get pods --all-namespaces --watch`,
  flags: getFlags,
  async run(context) {
    const { flags, args, path, factory, io } = context;
    if (flags.raw !== "") {
      if (args.length > 0) throw new Error("arguments may not be passed when --raw is specified");
      checkGetFlags(flags);
      return rawRequest(context, { method: "GET", uri: flags.raw });
    }
    await factory.namespace();
    if (flags["sort-by"] !== "" && flags.watch)
      io.stderr.write(
        "warning: --watch requested, --sort-by will be ignored for watch events received\n",
      );
    else if (flags["sort-by"] !== "" && flags["watch-only"])
      io.stderr.write("warning: --watch-only requested, --sort-by will be ignored\n");
    const watches = flags.watch || flags["watch-only"];
    if (!watches && args.length === 0 && !namesFiles(flags)) throw missingType(context);
    checkGetFlags(flags);
    try {
      if (watches) await watchObjects(context);
      else await getObjects(context);
    } catch (error) {
      if (error instanceof UnsortableError) {
        klog(context, "F", error.message, error.place);
        throw new ExitError(1);
      }
      throw await suggestResource(error, factory);
    }
    return undefined;

    function missingType({ io }: Pick<GetContext, "io">): Error {
      const [program = ""] = path.split(" ");
      io.stderr.write(
        `You must specify the type of resource to get. Use "${program} api-resources" for a complete list of supported resources.\n\n`,
      );
      return usageError(
        path,
        `error: Required resource not specified.\nUse "${program} explain <resource>" for a detailed description of that resource (e.g. ${program} explain pods).`,
      );
    }
  },
});

async function getObjects(context: GetContext): Promise<void> {
  const { flags } = context;
  const found = await findResources(context, {
    ...getQuery(context),
    subresource: flags.subresource,
    flattens: true,
    continuesOnError: true,
    ...(flags["sort-by"] !== "" && { chunkSize: 0 }),
  });
  if (flags["ignore-not-found"]) found.ignoreErrors((error) => StatusError.is(error, "NotFound"));
  await (printsTable(flags) ? printTables(context, found) : printWhole(context, found));
}
