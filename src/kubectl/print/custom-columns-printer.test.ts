import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type ActionPrintOptions, type TablePrintOptions, tablePrinter } from "./print-flags.ts";
import { anyOptions, type Printed, printedText } from "./printed-text.test-support.ts";
import { WatchEvent } from "./printer.ts";

// The expected texts are what kubectl 1.36 prints.
const object0 = {
  apiVersion: "v1",
  kind: "List",
  metadata: {},
  items: [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", labels: { app: "x" } },
      spec: { n: 0, c: [{ x: 0 }, { x: 1 }] },
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a-very-long-name-for-a-pod", labels: {} },
      spec: { n: 1, c: [{ x: 1 }, { x: 2 }] },
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "\u00e9", labels: null },
      spec: { n: 2, c: [{ x: 2 }, { x: 3 }] },
    },
  ],
};
const object1 = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", labels: { app: "x" } },
  spec: { n: 0, c: [{ x: 0 }, { x: 1 }] },
};
const object2 = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a-very-long-name-for-a-pod", labels: {} },
  spec: { n: 1, c: [{ x: 1 }, { x: 2 }] },
};
const object3 = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "\u00e9", labels: null },
  spec: { n: 2, c: [{ x: 2 }, { x: 3 }] },
};
const object4 = { apiVersion: "v1", kind: "X", a: "esc\u001b[31m\rx", b: "tab\there\nnew" };

const asTable = (given: Partial<TablePrintOptions>, objects: readonly Printed[]) =>
  printedText(() => tablePrinter({ ...anyOptions, ...given }), objects);

each<
  [options: Partial<TablePrintOptions & ActionPrintOptions>, printed: Printed[], output: string]
>([
  [
    { output: "custom-columns=NAME:.metadata.name" },
    [object0],
    "NAME\na\na-very-long-name-for-a-pod\n\u00e9\n",
  ],
  [
    { output: "custom-columns=NAME:.metadata.name", noHeaders: true },
    [object0],
    "a\na-very-long-name-for-a-pod\n\u00e9\n",
  ],
  [
    { output: "custom-columns=NAME:.metadata.name" },
    [object1, object2, object3],
    "NAME\na\na-very-long-name-for-a-pod\n\u00e9\n",
  ],
  [
    { output: "custom-columns=NAME:.metadata.name" },
    [new WatchEvent("ADDED", object1)],
    "NAME\n<none>\n",
  ],
  [
    { output: "custom-columns=NAME:metadata.name,KIND:{kind},X:.none" },
    [object0],
    "NAME                         KIND   X\na                            Pod    <none>\na-very-long-name-for-a-pod   Pod    <none>\n\u00e9                            Pod    <none>\n",
  ],
  [
    { output: "custom-columns=NAME:metadata.name,KIND:{kind},X:.none", noHeaders: true },
    [object0],
    "a                            Pod   <none>\na-very-long-name-for-a-pod   Pod   <none>\n\u00e9                            Pod   <none>\n",
  ],
  [
    { output: "custom-columns=NAME:metadata.name,KIND:{kind},X:.none" },
    [object1, object2, object3],
    "NAME   KIND   X\na      Pod    <none>\na-very-long-name-for-a-pod   Pod   <none>\n\u00e9     Pod   <none>\n",
  ],
  [
    { output: "custom-columns=NAME:metadata.name,KIND:{kind},X:.none" },
    [new WatchEvent("ADDED", object1)],
    "NAME     KIND     X\n<none>   <none>   <none>\n",
  ],
  [
    { output: "custom-columns=N:.spec.n,C:.spec.c[*].x,L:.metadata.labels" },
    [object0],
    "N     C     L\n0     0,1   map[app:x]\n1     1,2   map[]\n2     2,3   <nil>\n",
  ],
  [
    { output: "custom-columns=N:.spec.n,C:.spec.c[*].x,L:.metadata.labels", noHeaders: true },
    [object0],
    "0     0,1   map[app:x]\n1     1,2   map[]\n2     2,3   <nil>\n",
  ],
  [
    { output: "custom-columns=N:.spec.n,C:.spec.c[*].x,L:.metadata.labels" },
    [object1, object2, object3],
    "N     C     L\n0     0,1   map[app:x]\n1     1,2   map[]\n2     2,3   <nil>\n",
  ],
  [
    { output: "custom-columns=N:.spec.n,C:.spec.c[*].x,L:.metadata.labels" },
    [new WatchEvent("ADDED", object1)],
    "N        C        L\n<none>   <none>   <none>\n",
  ],
  [
    { output: "custom-columns=A:.metadata.labels.app,B:.spec" },
    [object0],
    "A        B\nx        map[c:[map[x:0] map[x:1]] n:0]\n<none>   map[c:[map[x:1] map[x:2]] n:1]\n<none>   map[c:[map[x:2] map[x:3]] n:2]\n",
  ],
  [
    { output: "custom-columns=A:.metadata.labels.app,B:.spec", noHeaders: true },
    [object0],
    "x        map[c:[map[x:0] map[x:1]] n:0]\n<none>   map[c:[map[x:1] map[x:2]] n:1]\n<none>   map[c:[map[x:2] map[x:3]] n:2]\n",
  ],
  [
    { output: "custom-columns=A:.metadata.labels.app,B:.spec" },
    [object1, object2, object3],
    "A     B\nx     map[c:[map[x:0] map[x:1]] n:0]\n<none>   map[c:[map[x:1] map[x:2]] n:1]\n<none>   map[c:[map[x:2] map[x:3]] n:2]\n",
  ],
  [
    { output: "custom-columns=A:.metadata.labels.app,B:.spec" },
    [new WatchEvent("ADDED", object1)],
    "A        B\n<none>   <none>\n",
  ],
  [
    { output: "custom-columns=A:{.kind}{.x}" },
    [object0],
    "error: unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  ],
  [
    { output: "custom-columns=A:{.kind}{.x}", noHeaders: true },
    [object0],
    "error: unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  ],
  [
    { output: "custom-columns=A:{.kind}{.x}" },
    [object1, object2, object3],
    "error: unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  ],
  [
    { output: "custom-columns=A:{.kind}{.x}" },
    [new WatchEvent("ADDED", object1)],
    "error: unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  ],
  [
    { output: "custom-columns=A:.spec.c[5].x" },
    [object0],
    "A\nerror: array index out of bounds: index 5, length 2",
  ],
  [
    { output: "custom-columns=A:.spec.c[5].x", noHeaders: true },
    [object0],
    "error: array index out of bounds: index 5, length 2",
  ],
  [
    { output: "custom-columns=A:.spec.c[5].x" },
    [object1, object2, object3],
    "A\nerror: array index out of bounds: index 5, length 2",
  ],
  [{ output: "custom-columns=A:.spec.c[5].x" }, [new WatchEvent("ADDED", object1)], "A\n<none>\n"],
  [{ output: "custom-columns=A:..x" }, [object0], "A\n0,1\n1,2\n2,3\n"],
  [{ output: "custom-columns=A:..x", noHeaders: true }, [object0], "0,1\n1,2\n2,3\n"],
  [{ output: "custom-columns=A:..x" }, [object1, object2, object3], "A\n0,1\n1,2\n2,3\n"],
  [{ output: "custom-columns=A:..x" }, [new WatchEvent("ADDED", object1)], "A\n0,1\n"],
  [{ output: "custom-columns=A:.spec.c[?(@.x==1)]" }, [object0], "A\nmap[x:1]\nmap[x:1]\n<none>\n"],
  [
    { output: "custom-columns=A:.spec.c[?(@.x==1)]", noHeaders: true },
    [object0],
    "map[x:1]\nmap[x:1]\n<none>\n",
  ],
  [
    { output: "custom-columns=A:.spec.c[?(@.x==1)]" },
    [object1, object2, object3],
    "A\nmap[x:1]\nmap[x:1]\n<none>\n",
  ],
  [
    { output: "custom-columns=A:.spec.c[?(@.x==1)]" },
    [new WatchEvent("ADDED", object1)],
    "A\n<none>\n",
  ],
  [{ output: "custom-columns=A:" }, [object0], "A\n<none>\n<none>\n<none>\n"],
  [{ output: "custom-columns=A:", noHeaders: true }, [object0], "<none>\n<none>\n<none>\n"],
  [{ output: "custom-columns=A:" }, [object1, object2, object3], "A\n<none>\n<none>\n<none>\n"],
  [{ output: "custom-columns=A:" }, [new WatchEvent("ADDED", object1)], "A\n<none>\n"],
  [{ output: "custom-columns=A:.kind.x" }, [object0], "A\n<none>\n<none>\n<none>\n"],
  [{ output: "custom-columns=A:.kind.x", noHeaders: true }, [object0], "<none>\n<none>\n<none>\n"],
  [
    { output: "custom-columns=A:.kind.x" },
    [object1, object2, object3],
    "A\n<none>\n<none>\n<none>\n",
  ],
  [{ output: "custom-columns=A:.kind.x" }, [new WatchEvent("ADDED", object1)], "A\n<none>\n"],
  [
    { output: "custom-columns=A:.metadata[0]" },
    [object0],
    "A\nerror: map[string]interface {} is not array or slice",
  ],
  [
    { output: "custom-columns=A:.metadata[0]", noHeaders: true },
    [object0],
    "error: map[string]interface {} is not array or slice",
  ],
  [
    { output: "custom-columns=A:.metadata[0]" },
    [object1, object2, object3],
    "A\nerror: map[string]interface {} is not array or slice",
  ],
  [{ output: "custom-columns=A:.metadata[0]" }, [new WatchEvent("ADDED", object1)], "A\n<none>\n"],
  [
    { output: "custom-columns=LONGHEADER:.kind,X:.kind" },
    [object0],
    "LONGHEADER   X\nPod          Pod\nPod          Pod\nPod          Pod\n",
  ],
  [
    { output: "custom-columns=LONGHEADER:.kind,X:.kind", noHeaders: true },
    [object0],
    "Pod   Pod\nPod   Pod\nPod   Pod\n",
  ],
  [
    { output: "custom-columns=LONGHEADER:.kind,X:.kind" },
    [object1, object2, object3],
    "LONGHEADER   X\nPod          Pod\nPod   Pod\nPod   Pod\n",
  ],
  [
    { output: "custom-columns=LONGHEADER:.kind,X:.kind" },
    [new WatchEvent("ADDED", object1)],
    "LONGHEADER   X\n<none>       <none>\n",
  ],
  [{ output: "custom-columns=A:.spec.c[" }, [object0], "A\nerror: unterminated array"],
  [
    { output: "custom-columns=A:.spec.c[", noHeaders: true },
    [object0],
    "error: unterminated array",
  ],
  [
    { output: "custom-columns=A:.spec.c[" },
    [object1, object2, object3],
    "A\nerror: unterminated array",
  ],
  [
    { output: "custom-columns=A:.spec.c[" },
    [new WatchEvent("ADDED", object1)],
    "A\nerror: unterminated array",
  ],
  [{ output: "custom-columns=A:.spec.c[0:" }, [object0], "A\nerror: unterminated array"],
  [
    { output: "custom-columns=A:.spec.c[0:", noHeaders: true },
    [object0],
    "error: unterminated array",
  ],
  [
    { output: "custom-columns=A:.spec.c[0:" },
    [object1, object2, object3],
    "A\nerror: unterminated array",
  ],
  [
    { output: "custom-columns=A:.spec.c[0:" },
    [new WatchEvent("ADDED", object1)],
    "A\nerror: unterminated array",
  ],
  [
    { output: "custom-columns=h\u00e9ader:.kind,B:.kind" },
    [object0],
    "h\u00e9ader   B\nPod      Pod\nPod      Pod\nPod      Pod\n",
  ],
  [
    { output: "custom-columns=h\u00e9ader:.kind,B:.kind", noHeaders: true },
    [object0],
    "Pod   Pod\nPod   Pod\nPod   Pod\n",
  ],
  [
    { output: "custom-columns=h\u00e9ader:.kind,B:.kind" },
    [object1, object2, object3],
    "h\u00e9ader   B\nPod      Pod\nPod   Pod\nPod   Pod\n",
  ],
  [
    { output: "custom-columns=h\u00e9ader:.kind,B:.kind" },
    [new WatchEvent("ADDED", object1)],
    "h\u00e9ader   B\n<none>   <none>\n",
  ],
  [{ output: "custom-columns=A:'x'" }, [object0], "A\n<none>\n<none>\n<none>\n"],
  [{ output: "custom-columns=A:'x'", noHeaders: true }, [object0], "<none>\n<none>\n<none>\n"],
  [{ output: "custom-columns=A:'x'" }, [object1, object2, object3], "A\n<none>\n<none>\n<none>\n"],
  [{ output: "custom-columns=A:'x'" }, [new WatchEvent("ADDED", object1)], "A\n<none>\n"],
  [{ output: "custom-columns=A:.spec.c[0]['x']" }, [object0], "A\n0\n1\n2\n"],
  [{ output: "custom-columns=A:.spec.c[0]['x']", noHeaders: true }, [object0], "0\n1\n2\n"],
  [{ output: "custom-columns=A:.spec.c[0]['x']" }, [object1, object2, object3], "A\n0\n1\n2\n"],
  [
    { output: "custom-columns=A:.spec.c[0]['x']" },
    [new WatchEvent("ADDED", object1)],
    "A\n<none>\n",
  ],
  [
    { output: "custom-columns=A:.a,B:.b" },
    [object4],
    "A              B\nesc^[[31m\\rx   tab   here\nnew\n",
  ],
])("CustomColumnsPrinter: %o", (given, printed, output) => {
  expect(asTable(given, printed)).toBe(output);
});
