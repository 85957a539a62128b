import { expect, test } from "vitest";
import { command } from "./command.ts";
import { boolFlag, intFlag, stringFlag } from "./flag.ts";
import { helpText } from "./help.ts";

test("helpText: shows the description, usage, and flags by section", () => {
  const serve = command({
    name: "serve",
    short: "Serve files",
    long: "Serve the files of a folder to all clients, until a signal stops it.",
    arguments: "FOLDER",
    examples: "# Serve the current folder\nfiles serve .",
    flags: {
      "tls-cert": stringFlag({ section: "TLS flags", usage: "Read the certificate from `FILE`" }),
      port: intFlag({
        short: "p",
        default: 80,
        usage: "Listen on this port of every address that the machine has",
      }),
      open: boolFlag({ usage: "Open a browser" }),
      secret: boolFlag({ hidden: true, usage: "Not shown" }),
      old: boolFlag({ deprecated: "it does nothing", usage: "Not shown" }),
      older: boolFlag({ deprecated: "it does nothing", hidden: false, usage: "Shown" }),
    },
    run: () => Promise.resolve(0),
  });
  const inherited = { verbose: boolFlag({ short: "v", usage: "Say more" }) };
  expect(helpText({ command: serve, path: "files serve", inherited, width: 60 })).toBe(
    `Serve the files of a folder to all clients, until a signal
stops it.

Usage:
  files serve [flags] FOLDER

Examples:
  # Serve the current folder
  files serve .

TLS flags:
      --tls-cert FILE   Read the certificate from FILE

Flags:
      --older      Shown
      --open       Open a browser
  -p, --port int   Listen on this port of every address that
                   the machine has (default 80)

Global flags:
  -v, --verbose   Say more
`,
  );
});

test("helpText: fills paragraphs, and leaves indented lines as they are", () => {
  const read = command({
    name: "read",
    short: "Read files",
    long: "One line that is long, and\na second one.\n\nA list:\n  first\n  second\nThe end of\nit.",
    run: () => Promise.resolve(0),
  });
  const [text] = helpText({ command: read, path: "read", inherited: {}, width: 30 }).split(
    "\n\nUsage:",
  );
  expect(text).toBe(`One line that is long, and a
second one.

A list:
  first
  second
The end of it.`);
});

test("helpText: lists the commands of a group", () => {
  const run = () => Promise.resolve(0);
  const root = command({
    name: "files",
    short: "Work with files",
    commands: [
      { name: "serve", short: "Serve files", run },
      { name: "ls", short: "List files", load: () => Promise.reject(new Error("not needed")) },
      { name: "debug", short: "Not shown", hidden: true, run },
    ],
  });
  expect(helpText({ command: root, path: "files", inherited: {}, width: 80 })).toBe(
    `Work with files.

Usage:
  files COMMAND

Commands:
  serve   Serve files
  ls      List files

Use "files COMMAND --help" for more about a command.
`,
  );
});
