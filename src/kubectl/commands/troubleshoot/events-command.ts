import { boolFlag, stringFlag, stringsFlag } from "../../../cli/flag.ts";
import { NoMatchError } from "../../../client/discovery/mapping-errors.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { goSorted } from "../../../schema/values/go-sort.ts";
import { TabWriter } from "../../print/tab-writer.ts";
import { ExitError } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { helper, type ListParameters, listError } from "../../resource/helper.ts";
import { typedObject } from "../../resource/typed-object.ts";
import { knownKinds } from "../shared/known-kinds.ts";
import { allNamespacesFlags } from "../shared/namespace-flags.ts";
import { objectPrinter, outputFlags, type PrintObject } from "../shared/object-output.ts";
import { chunkSizeFlags } from "../shared/selector-flags.ts";
import { eventPrinter } from "./events/event-printer.ts";
import { type ClusterEvent, compareEvents } from "./events/event-times.ts";

const formats =
  "json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file";

const flags = {
  watch: boolFlag({ short: "w", usage: "After listing the events, watch for more." }),
  ...allNamespacesFlags,
  for: stringFlag({ usage: "Only events of this resource." }),
  types: stringsFlag({ usage: "Only events of these types." }),
  "no-headers": boolFlag({ usage: "When printing a table, leave out its headers." }),
  ...chunkSizeFlags,
  ...outputFlags,
};

type EventsContext = CommandContext<typeof flags>;

export const eventsCommand = kubectlCommand({
  name: "events",
  usage: `[(-o|--output=)${formats}] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]`,
  short: "List events",
  long: "List events.\n\nPrints a table with what matters most of each event, of a namespace, of all of them, or of one resource.",
  examples: `# List the recent events of the namespace
kubectl events

# List those of all namespaces
kubectl events --all-namespaces

# List the events of a pod, and then print more as they come
kubectl events --for pod/web-pod-13je7 --watch

# Print events as YAML
kubectl events -oyaml

# Only list events of these types
kubectl events --types=Warning,Normal`,
  flags,
  async run(context) {
    const { flags, factory } = context;
    const { namespace } = await factory.namespace();
    const fieldSelector = flags.for === "" ? undefined : await selectorOf(context);
    const printerFor = printers(context);
    for (const type of flags.types)
      if (!/^(normal|warning)$/i.test(type)) throw new Error("valid --types are Normal or Warning");
    const place = flags["all-namespaces"] ? "" : namespace;
    const parameters: ListParameters = {
      limit: pageSize,
      fieldSelector: fieldSelector || undefined,
    };
    await (flags.watch ? watchEvents : listEvents)(context, { place, parameters, printerFor });
    return undefined;
  },
});

/** However long the pages may be that a flag wants, the original asks for these. */
const pageSize = 500;

interface EventSearch {
  /** The namespace; empty for all. */
  readonly place: string;
  readonly parameters: ListParameters;
  printerFor(writer: TabWriter): PrintObject;
}

/** Checks the output flags, and returns what makes a printer. */
function printers(context: EventsContext): EventSearch["printerFor"] {
  const { flags, factory } = context;
  if (flags.output === "")
    return (writer) =>
      eventPrinter(writer, {
        hasHeaders: !flags["no-headers"],
        hasNamespaces: flags["all-namespaces"],
        now: () => factory.clock.now(),
      });
  const printerFor: EventSearch["printerFor"] = (writer) =>
    objectPrinter(
      { ...context, io: { ...context.io, stdout: writer } },
      { operation: "events", keepsOrder: true },
    );
  printerFor(new TabWriter(context.io.stdout));
  return printerFor;
}

/** The selector of a resource that is given as `TYPE/NAME`; undefined for one without a name. */
async function selectorOf({ flags, factory }: EventsContext): Promise<string | undefined> {
  const [type = "", name, ...others] = flags.for.split("/");
  if (name === undefined) throw new Error("--for must be in resource/name form");
  if (others.length > 0)
    throw new Error("arguments in resource/name form may not have more than one slash");
  const mapper = await factory.mapper();
  const found = await mapper.named(type.toLowerCase()).catch((error: unknown) => {
    // The original prints this error of its mapper as it is.
    throw error instanceof NoMatchError ? new ExitError(1, error.message) : error;
  });
  if (name === "") return undefined;
  const apiVersion = found.group === "" ? found.version : `${found.group}/${found.version}`;
  return `involvedObject.kind=${found.kind},involvedObject.apiVersion=${apiVersion},involvedObject.name=${escaped(name)}`;
}

/** A value as a field selector has it. */
const escaped = (value: string): string => value.replaceAll(/[\\,=]/g, String.raw`\$&`);

const isWanted = ({ flags }: EventsContext, { type = "" }: ClusterEvent): boolean =>
  flags.types.length === 0 ||
  flags.types.some((wanted) => wanted.toLowerCase() === type.toLowerCase());

async function listEvents(
  context: EventsContext,
  { place, parameters, printerFor }: EventSearch,
): Promise<void> {
  const { flags, factory, io, signal } = context;
  const requests = helper(await factory.client(), knownKinds.event, { signal });
  const events: ClusterEvent[] = [];
  let token: string | undefined;
  do {
    const page = await requests
      .list(place, { ...parameters, continue: token })
      .catch((error: unknown) => {
        throw listError(error, knownKinds.event.plural, parameters);
      });
    events.push(...((page.items ?? []) as readonly ClusterEvent[]));
    token = (page.metadata as { readonly continue?: string }).continue || undefined;
  } while (token !== undefined);
  const shown = events.filter((event) => isWanted(context, event));
  const wanted = goSorted(shown, (a, b) => compareEvents(a, b) < 0);
  if (wanted.length === 0) {
    const { namespace } = await factory.namespace();
    const where = flags["all-namespaces"] ? "" : ` in ${namespace} namespace`;
    io.stderr.write(`No events found${where}.\n`);
    return;
  }
  // The original's printer of names takes no lists of Go types, and the error is not told.
  if (flags.output.toLowerCase() === "name") return;
  const items = await Promise.all(wanted.map(typedEvent));
  const list = { kind: "EventList", apiVersion: "v1", metadata: {}, items };
  const writer = new TabWriter(io.stdout);
  printQuietly(printerFor(writer), list as unknown as DynamicObject);
  writer.flush();
}

async function watchEvents(
  context: EventsContext,
  { place, parameters, printerFor }: EventSearch,
): Promise<void> {
  const { factory, io, signal } = context;
  const requests = helper(await factory.client(), knownKinds.event, { signal });
  const writer = new TabWriter(io.stdout);
  const print = printerFor(writer);
  let isOpen = false;
  try {
    for await (const { type, object } of requests.watch(place, parameters)) {
      isOpen = true;
      // Events disappear by themselves after an hour, which is no news.
      if (type === "DELETED" || type === "BOOKMARK") continue;
      if (!isWanted(context, object)) continue;
      printQuietly(print, await typedEvent(object));
      writer.flush();
    }
  } catch (error) {
    if (signal.aborted) throw new ExitError(1);
    if (!isOpen) throw error;
  }
}

const typedEvent = (event: ClusterEvent): Promise<DynamicObject> =>
  typedObject({ ...event, kind: "Event", apiVersion: "v1" });

/** What cannot be printed is left out, as the original does. */
function printQuietly(print: PrintObject, object: DynamicObject): void {
  try {
    print(object);
  } catch {
    // The rest may still be printed.
  }
}
