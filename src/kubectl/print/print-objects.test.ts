import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type ActionPrintOptions, type TablePrintOptions, tablePrinter } from "./print-flags.ts";
import { anyOptions, type Printed, printedText } from "./printed-text.test-support.ts";
import { WatchEvent } from "./printer.ts";

// The expected texts are what kubectl 1.36 prints.
const object0 = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web",
    namespace: "default",
    labels: { app: "web", tier: "front <end>" },
    managedFields: [{ manager: "kubectl" }],
    creationTimestamp: "2020-01-01T00:00:00Z",
  },
  spec: {
    replicas: 3,
    ratio: 0.25,
    big: 12345678.5,
    on: true,
    off: false,
    none: null,
    empty: "",
    list: ["a", "b", "c"],
    nums: [1, 2, 3],
    mixed: [1, "x", null, true, 2.5, { k: "v" }],
    containers: [
      { name: "c1", image: "nginx:1", ports: [{ containerPort: 80 }, { containerPort: 443 }] },
      { name: "c2", image: "busy", env: [] },
    ],
    emptymap: {},
    emptylist: [],
    text: "h\u00e9llo\nworld",
    b64: "aGVsbG8=",
    html: "<a href=\"x\">'&'</a>",
  },
};
const object1 = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "cm", namespace: "ns", managedFields: [{ manager: "m" }] },
  data: {
    a: "plain",
    b: "two\nlines\n",
    c: "no end\nnewline",
    d: " lead",
    e: "trail ",
    f: "true",
    g: "12",
    h: "1.5",
    i: "",
    j: "null",
    k: "- x",
    l: "a: b",
    m: "#x",
    n: "tab\tx",
    o: "q\"uo'te",
    p: "\\back",
    q: "\u00e9 \u00fc \ud83d\ude00",
    r: "\u0001\u2028",
    s: "yes",
    t: "2020-01-01",
    u: "a\n\n\nb\n\n",
    v: "\n",
    w: "\nx",
    x: "  ind\n  y\n",
    y: "<html>&amp;",
    z: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
    "10": "ten",
    "2": "two",
    A: "0x1F",
    aa: "a\n b\n\tc\n",
  },
};
const object2 = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "cm", namespace: "ns", managedFields: [{ manager: "m" }] },
  data: {
    plain: "v",
    "with-dash": "v",
    "with.dot": "v",
    "with/slash": "v",
    "-lead": "v",
    "trail-": "v",
    true: "v",
    null: "v",
    y: "v",
    no: "v",
    "12": "v",
    "1.5": "v",
    "0x1f": "v",
    "1e3": "v",
    "2020-01-01": "v",
    "1:30": "v",
    "a b": "v",
    "\u00e9": "v",
    "": "v",
    _x: "v",
    "~": "v",
    inf: "v",
    nan: "v",
    ".inf": "v",
    NaN: "v",
    "+1": "v",
    "1_000": "v",
    "0b1": "v",
    "1e400": "v",
    "99999999999999999999": "v",
    t: "v",
    F: "v",
    off: "v",
    "2020-01-01T00:00:00Z": "v",
    "2020-13-01": "v",
    "a:b": "v",
    "x\ty": "v",
    "x\ny": "v",
    "0o17": "v",
    infinity: "v",
    "true.x": "v",
  },
};
const object3 = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "cm", namespace: "ns", managedFields: [{ manager: "m" }] },
  a: [],
  b: {},
  c: null,
  d: [{ x: 1 }, { y: [1, 2, [3, []], {}] }],
  e: [[1, 2], ["a"]],
  f: [1, "a", true, null, 1.5, 12345678901234, 1e21, -0.5, 1e-7],
  g: [{ a: 1 }, 2],
  h: [[], {}],
};
const object4 = {
  apiVersion: "v1",
  kind: "List",
  metadata: { resourceVersion: "" },
  items: [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "cm", namespace: "ns", managedFields: [{ manager: "m" }] },
      data: { a: "b" },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "cm", namespace: "ns", managedFields: [{ manager: "m" }] },
    },
  ],
};
const object5 = { metadata: { name: "x" } };
const object6 = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "cm", namespace: "ns", managedFields: [{ manager: "m" }] },
  data: { a: "b" },
};
const object7 = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "cm", namespace: "ns", managedFields: [{ manager: "m" }] },
};

const asTable = (given: Partial<TablePrintOptions>, objects: readonly Printed[]) =>
  printedText(() => tablePrinter({ ...anyOptions, ...given }), objects);

each<
  [options: Partial<TablePrintOptions & ActionPrintOptions>, printed: Printed[], output: string]
>([
  [
    { output: "json" },
    [object0],
    '{\n    "apiVersion": "v1",\n    "kind": "Pod",\n    "metadata": {\n        "creationTimestamp": "2020-01-01T00:00:00Z",\n        "labels": {\n            "app": "web",\n            "tier": "front \\u003cend\\u003e"\n        },\n        "name": "web",\n        "namespace": "default"\n    },\n    "spec": {\n        "b64": "aGVsbG8=",\n        "big": 12345678.5,\n        "containers": [\n            {\n                "image": "nginx:1",\n                "name": "c1",\n                "ports": [\n                    {\n                        "containerPort": 80\n                    },\n                    {\n                        "containerPort": 443\n                    }\n                ]\n            },\n            {\n                "env": [],\n                "image": "busy",\n                "name": "c2"\n            }\n        ],\n        "empty": "",\n        "emptylist": [],\n        "emptymap": {},\n        "html": "\\u003ca href=\\"x\\"\\u003e\'\\u0026\'\\u003c/a\\u003e",\n        "list": [\n            "a",\n            "b",\n            "c"\n        ],\n        "mixed": [\n            1,\n            "x",\n            null,\n            true,\n            2.5,\n            {\n                "k": "v"\n            }\n        ],\n        "none": null,\n        "nums": [\n            1,\n            2,\n            3\n        ],\n        "off": false,\n        "on": true,\n        "ratio": 0.25,\n        "replicas": 3,\n        "text": "h\u00e9llo\\nworld"\n    }\n}\n',
  ],
  [
    { output: "json" },
    [object1],
    '{\n    "apiVersion": "v1",\n    "data": {\n        "10": "ten",\n        "2": "two",\n        "A": "0x1F",\n        "a": "plain",\n        "aa": "a\\n b\\n\\tc\\n",\n        "b": "two\\nlines\\n",\n        "c": "no end\\nnewline",\n        "d": " lead",\n        "e": "trail ",\n        "f": "true",\n        "g": "12",\n        "h": "1.5",\n        "i": "",\n        "j": "null",\n        "k": "- x",\n        "l": "a: b",\n        "m": "#x",\n        "n": "tab\\tx",\n        "o": "q\\"uo\'te",\n        "p": "\\\\back",\n        "q": "\u00e9 \u00fc \ud83d\ude00",\n        "r": "\\u0001\\u2028",\n        "s": "yes",\n        "t": "2020-01-01",\n        "u": "a\\n\\n\\nb\\n\\n",\n        "v": "\\n",\n        "w": "\\nx",\n        "x": "  ind\\n  y\\n",\n        "y": "\\u003chtml\\u003e\\u0026amp;",\n        "z": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"\n    },\n    "kind": "ConfigMap",\n    "metadata": {\n        "name": "cm",\n        "namespace": "ns"\n    }\n}\n',
  ],
  [
    { output: "json" },
    [object2],
    '{\n    "apiVersion": "v1",\n    "data": {\n        "": "v",\n        "+1": "v",\n        "-lead": "v",\n        ".inf": "v",\n        "0b1": "v",\n        "0o17": "v",\n        "0x1f": "v",\n        "1.5": "v",\n        "12": "v",\n        "1:30": "v",\n        "1_000": "v",\n        "1e3": "v",\n        "1e400": "v",\n        "2020-01-01": "v",\n        "2020-01-01T00:00:00Z": "v",\n        "2020-13-01": "v",\n        "99999999999999999999": "v",\n        "F": "v",\n        "NaN": "v",\n        "_x": "v",\n        "a b": "v",\n        "a:b": "v",\n        "inf": "v",\n        "infinity": "v",\n        "nan": "v",\n        "no": "v",\n        "null": "v",\n        "off": "v",\n        "plain": "v",\n        "t": "v",\n        "trail-": "v",\n        "true": "v",\n        "true.x": "v",\n        "with-dash": "v",\n        "with.dot": "v",\n        "with/slash": "v",\n        "x\\ty": "v",\n        "x\\ny": "v",\n        "y": "v",\n        "~": "v",\n        "\u00e9": "v"\n    },\n    "kind": "ConfigMap",\n    "metadata": {\n        "name": "cm",\n        "namespace": "ns"\n    }\n}\n',
  ],
  [
    { output: "json" },
    [object3],
    '{\n    "a": [],\n    "apiVersion": "v1",\n    "b": {},\n    "c": null,\n    "d": [\n        {\n            "x": 1\n        },\n        {\n            "y": [\n                1,\n                2,\n                [\n                    3,\n                    []\n                ],\n                {}\n            ]\n        }\n    ],\n    "e": [\n        [\n            1,\n            2\n        ],\n        [\n            "a"\n        ]\n    ],\n    "f": [\n        1,\n        "a",\n        true,\n        null,\n        1.5,\n        12345678901234,\n        1e+21,\n        -0.5,\n        1e-7\n    ],\n    "g": [\n        {\n            "a": 1\n        },\n        2\n    ],\n    "h": [\n        [],\n        {}\n    ],\n    "kind": "ConfigMap",\n    "metadata": {\n        "name": "cm",\n        "namespace": "ns"\n    }\n}\n',
  ],
  [
    { output: "json", showManagedFields: true },
    [object0, object3],
    '{\n    "apiVersion": "v1",\n    "kind": "Pod",\n    "metadata": {\n        "creationTimestamp": "2020-01-01T00:00:00Z",\n        "labels": {\n            "app": "web",\n            "tier": "front \\u003cend\\u003e"\n        },\n        "managedFields": [\n            {\n                "manager": "kubectl"\n            }\n        ],\n        "name": "web",\n        "namespace": "default"\n    },\n    "spec": {\n        "b64": "aGVsbG8=",\n        "big": 12345678.5,\n        "containers": [\n            {\n                "image": "nginx:1",\n                "name": "c1",\n                "ports": [\n                    {\n                        "containerPort": 80\n                    },\n                    {\n                        "containerPort": 443\n                    }\n                ]\n            },\n            {\n                "env": [],\n                "image": "busy",\n                "name": "c2"\n            }\n        ],\n        "empty": "",\n        "emptylist": [],\n        "emptymap": {},\n        "html": "\\u003ca href=\\"x\\"\\u003e\'\\u0026\'\\u003c/a\\u003e",\n        "list": [\n            "a",\n            "b",\n            "c"\n        ],\n        "mixed": [\n            1,\n            "x",\n            null,\n            true,\n            2.5,\n            {\n                "k": "v"\n            }\n        ],\n        "none": null,\n        "nums": [\n            1,\n            2,\n            3\n        ],\n        "off": false,\n        "on": true,\n        "ratio": 0.25,\n        "replicas": 3,\n        "text": "h\u00e9llo\\nworld"\n    }\n}\n{\n    "a": [],\n    "apiVersion": "v1",\n    "b": {},\n    "c": null,\n    "d": [\n        {\n            "x": 1\n        },\n        {\n            "y": [\n                1,\n                2,\n                [\n                    3,\n                    []\n                ],\n                {}\n            ]\n        }\n    ],\n    "e": [\n        [\n            1,\n            2\n        ],\n        [\n            "a"\n        ]\n    ],\n    "f": [\n        1,\n        "a",\n        true,\n        null,\n        1.5,\n        12345678901234,\n        1e+21,\n        -0.5,\n        1e-7\n    ],\n    "g": [\n        {\n            "a": 1\n        },\n        2\n    ],\n    "h": [\n        [],\n        {}\n    ],\n    "kind": "ConfigMap",\n    "metadata": {\n        "managedFields": [\n            {\n                "manager": "m"\n            }\n        ],\n        "name": "cm",\n        "namespace": "ns"\n    }\n}\n',
  ],
  [
    { output: "json" },
    [object4],
    '{\n    "apiVersion": "v1",\n    "items": [\n        {\n            "apiVersion": "v1",\n            "data": {\n                "a": "b"\n            },\n            "kind": "ConfigMap",\n            "metadata": {\n                "name": "cm",\n                "namespace": "ns"\n            }\n        },\n        {\n            "apiVersion": "v1",\n            "kind": "ConfigMap",\n            "metadata": {\n                "name": "cm",\n                "namespace": "ns"\n            }\n        }\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n',
  ],
  [
    { output: "json" },
    [object5],
    "error: missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
  ],
  [
    { output: "json" },
    [new WatchEvent("ADDED", object6)],
    '{"type":"ADDED","object":{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","metadata":{"managedFields":[{"manager":"m"}],"name":"cm","namespace":"ns"}}}\n',
  ],
  [
    { output: "json", showManagedFields: true },
    [new WatchEvent("ADDED", object6), new WatchEvent("MODIFIED", object7)],
    '{"type":"ADDED","object":{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","metadata":{"managedFields":[{"manager":"m"}],"name":"cm","namespace":"ns"}}}\n{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"managedFields":[{"manager":"m"}],"name":"cm","namespace":"ns"}}}\n',
  ],
  [
    { output: "yaml" },
    [object0],
    'apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: "2020-01-01T00:00:00Z"\n  labels:\n    app: web\n    tier: front <end>\n  name: web\n  namespace: default\nspec:\n  b64: aGVsbG8=\n  big: 1.23456785e+07\n  containers:\n  - image: nginx:1\n    name: c1\n    ports:\n    - containerPort: 80\n    - containerPort: 443\n  - env: []\n    image: busy\n    name: c2\n  empty: ""\n  emptylist: []\n  emptymap: {}\n  html: <a href="x">\'&\'</a>\n  list:\n  - a\n  - b\n  - c\n  mixed:\n  - 1\n  - x\n  - null\n  - true\n  - 2.5\n  - k: v\n  none: null\n  nums:\n  - 1\n  - 2\n  - 3\n  "off": false\n  "on": true\n  ratio: 0.25\n  replicas: 3\n  text: |-\n    h\u00e9llo\n    world\n',
  ],
  [
    { output: "yaml" },
    [object1],
    'apiVersion: v1\ndata:\n  "2": two\n  "10": ten\n  A: "0x1F"\n  a: plain\n  aa: "a\\n b\\n\\tc\\n"\n  b: |\n    two\n    lines\n  c: |-\n    no end\n    newline\n  d: \' lead\'\n  e: \'trail \'\n  f: "true"\n  g: "12"\n  h: "1.5"\n  i: ""\n  j: "null"\n  k: \'- x\'\n  l: \'a: b\'\n  m: \'#x\'\n  "n": "tab\\tx"\n  o: q"uo\'te\n  p: \\back\n  q: "\u00e9 \u00fc \\U0001F600"\n  r: "\\x01\\L"\n  s: "yes"\n  t: "2020-01-01"\n  u: |+\n    a\n\n\n    b\n\n  v: |2+\n\n  w: |2-\n\n    x\n  x: |2\n      ind\n      y\n  "y": <html>&amp;\n  z: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n    yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\nkind: ConfigMap\nmetadata:\n  name: cm\n  namespace: ns\n',
  ],
  [
    { output: "yaml" },
    [object2],
    'apiVersion: v1\ndata:\n  "": v\n  "+1": v\n  -lead: v\n  ".inf": v\n  _x: v\n  "~": v\n  "0b1": v\n  "0o17": v\n  "0x1f": v\n  "1.5": v\n  "1:30": v\n  "1_000": v\n  "12": v\n  "1e3": v\n  1e400: v\n  "2020-01-01": v\n  "2020-01-01T00:00:00Z": v\n  2020-13-01: v\n  "99999999999999999999": v\n  F: v\n  NaN: v\n  a b: v\n  a:b: v\n  inf: v\n  infinity: v\n  nan: v\n  "no": v\n  "null": v\n  "off": v\n  plain: v\n  t: v\n  trail-: v\n  "true": v\n  true.x: v\n  with-dash: v\n  with.dot: v\n  with/slash: v\n  "x\\ty": v\n  ? |-\n    x\n    y\n  : v\n  "y": v\n  \u00e9: v\nkind: ConfigMap\nmetadata:\n  name: cm\n  namespace: ns\n',
  ],
  [
    { output: "yaml" },
    [object3],
    'a: []\napiVersion: v1\nb: {}\nc: null\nd:\n- x: 1\n- "y":\n  - 1\n  - 2\n  - - 3\n    - []\n  - {}\ne:\n- - 1\n  - 2\n- - a\nf:\n- 1\n- a\n- true\n- null\n- 1.5\n- 12345678901234\n- 1e+21\n- -0.5\n- 1e-07\ng:\n- a: 1\n- 2\nh:\n- []\n- {}\nkind: ConfigMap\nmetadata:\n  name: cm\n  namespace: ns\n',
  ],
  [
    { output: "yaml", showManagedFields: true },
    [object0, object3],
    'apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: "2020-01-01T00:00:00Z"\n  labels:\n    app: web\n    tier: front <end>\n  managedFields:\n  - manager: kubectl\n  name: web\n  namespace: default\nspec:\n  b64: aGVsbG8=\n  big: 1.23456785e+07\n  containers:\n  - image: nginx:1\n    name: c1\n    ports:\n    - containerPort: 80\n    - containerPort: 443\n  - env: []\n    image: busy\n    name: c2\n  empty: ""\n  emptylist: []\n  emptymap: {}\n  html: <a href="x">\'&\'</a>\n  list:\n  - a\n  - b\n  - c\n  mixed:\n  - 1\n  - x\n  - null\n  - true\n  - 2.5\n  - k: v\n  none: null\n  nums:\n  - 1\n  - 2\n  - 3\n  "off": false\n  "on": true\n  ratio: 0.25\n  replicas: 3\n  text: |-\n    h\u00e9llo\n    world\n---\na: []\napiVersion: v1\nb: {}\nc: null\nd:\n- x: 1\n- "y":\n  - 1\n  - 2\n  - - 3\n    - []\n  - {}\ne:\n- - 1\n  - 2\n- - a\nf:\n- 1\n- a\n- true\n- null\n- 1.5\n- 12345678901234\n- 1e+21\n- -0.5\n- 1e-07\ng:\n- a: 1\n- 2\nh:\n- []\n- {}\nkind: ConfigMap\nmetadata:\n  managedFields:\n  - manager: m\n  name: cm\n  namespace: ns\n',
  ],
  [
    { output: "yaml" },
    [object4],
    'apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    a: b\n  kind: ConfigMap\n  metadata:\n    name: cm\n    namespace: ns\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: cm\n    namespace: ns\nkind: List\nmetadata:\n  resourceVersion: ""\n',
  ],
  [
    { output: "yaml" },
    [object5],
    "error: missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
  ],
  [
    { output: "yaml" },
    [new WatchEvent("ADDED", object6)],
    "object:\n  apiVersion: v1\n  data:\n    a: b\n  kind: ConfigMap\n  metadata:\n    managedFields:\n    - manager: m\n    name: cm\n    namespace: ns\ntype: ADDED\n",
  ],
  [
    { output: "yaml", showManagedFields: true },
    [new WatchEvent("ADDED", object6), new WatchEvent("MODIFIED", object7)],
    "object:\n  apiVersion: v1\n  data:\n    a: b\n  kind: ConfigMap\n  metadata:\n    managedFields:\n    - manager: m\n    name: cm\n    namespace: ns\ntype: ADDED\n---\nobject:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    managedFields:\n    - manager: m\n    name: cm\n    namespace: ns\ntype: MODIFIED\n",
  ],
  [
    { output: "kyaml" },
    [object0],
    '---\n{\n  apiVersion: "v1",\n  kind: "Pod",\n  metadata: {\n    creationTimestamp: "2020-01-01T00:00:00Z",\n    labels: {\n      app: "web",\n      tier: "front <end>",\n    },\n    name: "web",\n    namespace: "default",\n  },\n  spec: {\n    b64: "aGVsbG8=",\n    big: 12345678.5,\n    containers: [{\n      image: "nginx:1",\n      name: "c1",\n      ports: [{\n        containerPort: 80,\n      }, {\n        containerPort: 443,\n      }],\n    }, {\n      env: [],\n      image: "busy",\n      name: "c2",\n    }],\n    empty: "",\n    emptylist: [],\n    emptymap: {},\n    html: "<a href=\\"x\\">\'&\'</a>",\n    list: [\n      "a",\n      "b",\n      "c",\n    ],\n    mixed: [\n      1,\n      "x",\n      null,\n      true,\n      2.5,\n      {\n        k: "v",\n      },\n    ],\n    none: null,\n    nums: [\n      1,\n      2,\n      3,\n    ],\n    "off": false,\n    "on": true,\n    ratio: 0.25,\n    replicas: 3,\n    text: "\\\n       h\u00e9llo\\n\\\n       world\\\n      ",\n  },\n}\n',
  ],
  [
    { output: "kyaml" },
    [object1],
    '---\n{\n  apiVersion: "v1",\n  data: {\n    "10": "ten",\n    "2": "two",\n    A: "0x1F",\n    a: "plain",\n    aa: "\\\n       a\\n\\\n      \\ b\\n\\\n      \\\tc\\n\\\n      ",\n    b: "\\\n       two\\n\\\n       lines\\n\\\n      ",\n    c: "\\\n       no end\\n\\\n       newline\\\n      ",\n    d: " lead",\n    e: "trail ",\n    "f": "true",\n    g: "12",\n    h: "1.5",\n    i: "",\n    j: "null",\n    k: "- x",\n    l: "a: b",\n    m: "#x",\n    "n": "tab\tx",\n    o: "q\\"uo\'te",\n    p: "\\\\back",\n    q: "\u00e9 \u00fc \ud83d\ude00",\n    r: "\\x01\\L",\n    s: "yes",\n    "t": "2020-01-01",\n    u: "\\\n       a\\n\\\n       \\n\\\n       \\n\\\n       b\\n\\\n       \\n\\\n      ",\n    v: "\\\n       \\n\\\n      ",\n    w: "\\\n       \\n\\\n       x\\\n      ",\n    x: "\\\n      \\  ind\\n\\\n      \\  y\\n\\\n      ",\n    "y": "<html>&amp;",\n    z: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",\n  },\n  kind: "ConfigMap",\n  metadata: {\n    name: "cm",\n    namespace: "ns",\n  },\n}\n',
  ],
  [
    { output: "kyaml" },
    [object2],
    '---\n{\n  apiVersion: "v1",\n  data: {\n    "": "v",\n    "+1": "v",\n    "-lead": "v",\n    ".inf": "v",\n    "0b1": "v",\n    "0o17": "v",\n    "0x1f": "v",\n    "1.5": "v",\n    "12": "v",\n    "1:30": "v",\n    "1_000": "v",\n    "1e3": "v",\n    1e400: "v",\n    "2020-01-01": "v",\n    "2020-01-01T00:00:00Z": "v",\n    2020-13-01: "v",\n    "99999999999999999999": "v",\n    "F": "v",\n    "NaN": "v",\n    _x: "v",\n    "a b": "v",\n    "a:b": "v",\n    "inf": "v",\n    "infinity": "v",\n    "nan": "v",\n    "no": "v",\n    "null": "v",\n    "off": "v",\n    plain: "v",\n    "t": "v",\n    "trail-": "v",\n    "true": "v",\n    true.x: "v",\n    with-dash: "v",\n    with.dot: "v",\n    with/slash: "v",\n    "x\\ty": "v",\n    "x\\ny": "v",\n    "y": "v",\n    "~": "v",\n    \u00e9: "v",\n  },\n  kind: "ConfigMap",\n  metadata: {\n    name: "cm",\n    namespace: "ns",\n  },\n}\n',
  ],
  [
    { output: "kyaml" },
    [object3],
    '---\n{\n  a: [],\n  apiVersion: "v1",\n  b: {},\n  c: null,\n  d: [{\n    x: 1,\n  }, {\n    "y": [\n      1,\n      2,\n      [\n        3,\n        [],\n      ],\n      {},\n    ],\n  }],\n  e: [[\n    1,\n    2,\n  ], [\n    "a",\n  ]],\n  "f": [\n    1,\n    "a",\n    true,\n    null,\n    1.5,\n    12345678901234,\n    1e+21,\n    -0.5,\n    1e-7,\n  ],\n  g: [\n    {\n      a: 1,\n    },\n    2,\n  ],\n  h: [[], {}],\n  kind: "ConfigMap",\n  metadata: {\n    name: "cm",\n    namespace: "ns",\n  },\n}\n',
  ],
  [
    { output: "kyaml", showManagedFields: true },
    [object0, object3],
    '---\n{\n  apiVersion: "v1",\n  kind: "Pod",\n  metadata: {\n    creationTimestamp: "2020-01-01T00:00:00Z",\n    labels: {\n      app: "web",\n      tier: "front <end>",\n    },\n    managedFields: [{\n      manager: "kubectl",\n    }],\n    name: "web",\n    namespace: "default",\n  },\n  spec: {\n    b64: "aGVsbG8=",\n    big: 12345678.5,\n    containers: [{\n      image: "nginx:1",\n      name: "c1",\n      ports: [{\n        containerPort: 80,\n      }, {\n        containerPort: 443,\n      }],\n    }, {\n      env: [],\n      image: "busy",\n      name: "c2",\n    }],\n    empty: "",\n    emptylist: [],\n    emptymap: {},\n    html: "<a href=\\"x\\">\'&\'</a>",\n    list: [\n      "a",\n      "b",\n      "c",\n    ],\n    mixed: [\n      1,\n      "x",\n      null,\n      true,\n      2.5,\n      {\n        k: "v",\n      },\n    ],\n    none: null,\n    nums: [\n      1,\n      2,\n      3,\n    ],\n    "off": false,\n    "on": true,\n    ratio: 0.25,\n    replicas: 3,\n    text: "\\\n       h\u00e9llo\\n\\\n       world\\\n      ",\n  },\n}\n---\n{\n  a: [],\n  apiVersion: "v1",\n  b: {},\n  c: null,\n  d: [{\n    x: 1,\n  }, {\n    "y": [\n      1,\n      2,\n      [\n        3,\n        [],\n      ],\n      {},\n    ],\n  }],\n  e: [[\n    1,\n    2,\n  ], [\n    "a",\n  ]],\n  "f": [\n    1,\n    "a",\n    true,\n    null,\n    1.5,\n    12345678901234,\n    1e+21,\n    -0.5,\n    1e-7,\n  ],\n  g: [\n    {\n      a: 1,\n    },\n    2,\n  ],\n  h: [[], {}],\n  kind: "ConfigMap",\n  metadata: {\n    managedFields: [{\n      manager: "m",\n    }],\n    name: "cm",\n    namespace: "ns",\n  },\n}\n',
  ],
  [
    { output: "kyaml" },
    [object4],
    '---\n{\n  apiVersion: "v1",\n  items: [{\n    apiVersion: "v1",\n    data: {\n      a: "b",\n    },\n    kind: "ConfigMap",\n    metadata: {\n      name: "cm",\n      namespace: "ns",\n    },\n  }, {\n    apiVersion: "v1",\n    kind: "ConfigMap",\n    metadata: {\n      name: "cm",\n      namespace: "ns",\n    },\n  }],\n  kind: "List",\n  metadata: {\n    resourceVersion: "",\n  },\n}\n',
  ],
  [
    { output: "kyaml" },
    [object5],
    "error: missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
  ],
  [
    { output: "kyaml" },
    [new WatchEvent("ADDED", object6)],
    '---\n{\n  type: "ADDED",\n  object: {\n    apiVersion: "v1",\n    data: {\n      a: "b",\n    },\n    kind: "ConfigMap",\n    metadata: {\n      managedFields: [{\n        manager: "m",\n      }],\n      name: "cm",\n      namespace: "ns",\n    },\n  },\n}\n',
  ],
  [
    { output: "kyaml", showManagedFields: true },
    [new WatchEvent("ADDED", object6), new WatchEvent("MODIFIED", object7)],
    '---\n{\n  type: "ADDED",\n  object: {\n    apiVersion: "v1",\n    data: {\n      a: "b",\n    },\n    kind: "ConfigMap",\n    metadata: {\n      managedFields: [{\n        manager: "m",\n      }],\n      name: "cm",\n      namespace: "ns",\n    },\n  },\n}\n---\n{\n  type: "MODIFIED",\n  object: {\n    apiVersion: "v1",\n    kind: "ConfigMap",\n    metadata: {\n      managedFields: [{\n        manager: "m",\n      }],\n      name: "cm",\n      namespace: "ns",\n    },\n  },\n}\n',
  ],
  [
    { output: "JSON" },
    [object0],
    '{\n    "apiVersion": "v1",\n    "kind": "Pod",\n    "metadata": {\n        "creationTimestamp": "2020-01-01T00:00:00Z",\n        "labels": {\n            "app": "web",\n            "tier": "front \\u003cend\\u003e"\n        },\n        "name": "web",\n        "namespace": "default"\n    },\n    "spec": {\n        "b64": "aGVsbG8=",\n        "big": 12345678.5,\n        "containers": [\n            {\n                "image": "nginx:1",\n                "name": "c1",\n                "ports": [\n                    {\n                        "containerPort": 80\n                    },\n                    {\n                        "containerPort": 443\n                    }\n                ]\n            },\n            {\n                "env": [],\n                "image": "busy",\n                "name": "c2"\n            }\n        ],\n        "empty": "",\n        "emptylist": [],\n        "emptymap": {},\n        "html": "\\u003ca href=\\"x\\"\\u003e\'\\u0026\'\\u003c/a\\u003e",\n        "list": [\n            "a",\n            "b",\n            "c"\n        ],\n        "mixed": [\n            1,\n            "x",\n            null,\n            true,\n            2.5,\n            {\n                "k": "v"\n            }\n        ],\n        "none": null,\n        "nums": [\n            1,\n            2,\n            3\n        ],\n        "off": false,\n        "on": true,\n        "ratio": 0.25,\n        "replicas": 3,\n        "text": "h\u00e9llo\\nworld"\n    }\n}\n',
  ],
  [
    { output: "Yaml" },
    [object0],
    'apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: "2020-01-01T00:00:00Z"\n  labels:\n    app: web\n    tier: front <end>\n  name: web\n  namespace: default\nspec:\n  b64: aGVsbG8=\n  big: 1.23456785e+07\n  containers:\n  - image: nginx:1\n    name: c1\n    ports:\n    - containerPort: 80\n    - containerPort: 443\n  - env: []\n    image: busy\n    name: c2\n  empty: ""\n  emptylist: []\n  emptymap: {}\n  html: <a href="x">\'&\'</a>\n  list:\n  - a\n  - b\n  - c\n  mixed:\n  - 1\n  - x\n  - null\n  - true\n  - 2.5\n  - k: v\n  none: null\n  nums:\n  - 1\n  - 2\n  - 3\n  "off": false\n  "on": true\n  ratio: 0.25\n  replicas: 3\n  text: |-\n    h\u00e9llo\n    world\n',
  ],
])("objects as %o", (given, printed, output) => {
  expect(asTable(given, printed)).toBe(output);
});
