import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import {
  type ActionPrintOptions,
  actionPrinter,
  type TablePrintOptions,
  tablePrinter,
} from "./print-flags.ts";
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
const object1 = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" } };
const object2 = { apiVersion: "apps/v1", kind: "Deployment", metadata: {} };
const object3 = { metadata: { name: "x" } };
const object4 = {
  apiVersion: "v1",
  kind: "List",
  items: [
    {
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
    },
    {
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
    },
  ],
};

const asTable = (given: Partial<TablePrintOptions>, objects: readonly Printed[]) =>
  printedText(() => tablePrinter({ ...anyOptions, ...given }), objects);

const asAction = (given: Partial<ActionPrintOptions>, objects: readonly Printed[]) =>
  printedText(() => actionPrinter({ ...anyOptions, ...given }), objects);

each<
  [options: Partial<TablePrintOptions & ActionPrintOptions>, printed: Printed[], output: string]
>([
  [{ output: "name" }, [object0], "pod/web\n"],
  [{ output: "name" }, [object1], "deployment.apps/d\n"],
  [{ output: "name" }, [object2], "deployment.apps/<unknown>\n"],
  [
    { output: "name" },
    [object3],
    "error: missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
  ],
  [{ output: "name" }, [object4], "pod/web\npod/web\n"],
  [{ output: "name" }, [new WatchEvent("ADDED", object0)], "pod/web\n"],
  [
    { output: "nope" },
    [object0],
    'error: unable to match a printer suitable for the output format "nope", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [
    { output: "json=x" },
    [object0],
    'error: unable to match a printer suitable for the output format "json=x", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [
    { output: "custom-columns" },
    [object0],
    "error: custom-columns format specified but no custom columns given",
  ],
  [
    { output: "custom-columns=" },
    [object0],
    "error: custom-columns format specified but no custom columns given",
  ],
  [
    { output: "custom-columns=A" },
    [object0],
    "error: unexpected custom-columns spec: A, expected <header>:<json-path-expr>",
  ],
  [
    { output: "custom-columns=A:{.x" },
    [object0],
    "error: unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  ],
  [
    { output: "custom-columns=A:.x,B" },
    [object0],
    "error: unexpected custom-columns spec: B, expected <header>:<json-path-expr>",
  ],
  [{ output: "go-template" }, [object0], "error: template format specified but no template given"],
  [{ output: "go-template=" }, [object0], "error: template format specified but no template given"],
  [{ output: "jsonpath" }, [object0], "error: template format specified but no template given"],
  [{ output: "jsonpath=" }, [object0], "error: template format specified but no template given"],
  [{ output: "template" }, [object0], "error: template format specified but no template given"],
  [{ output: "templatefile" }, [object0], "error: template format specified but no template given"],
  [
    { output: "go-template-file=/nonexistent" },
    [object0],
    "error: error reading --template /nonexistent, open /nonexistent: no such file or directory",
  ],
  [
    { output: "jsonpath-file=/nonexistent" },
    [object0],
    "error: error reading --template /nonexistent, open /nonexistent: no such file or directory",
  ],
  [
    { output: "custom-columns-file=/nonexistent" },
    [object0],
    "error: error reading template /nonexistent, open /nonexistent: no such file or directory\n",
  ],
  [
    { output: "custom-columns-file" },
    [object0],
    "error: custom-columns format specified but no custom columns given",
  ],
  [{ output: "jsonpath={" }, [object0], "error: error parsing jsonpath {, unclosed action"],
  [
    { output: "go-template={{" },
    [object0],
    "error: error parsing template {{, template: output:1: unclosed action",
  ],
  [
    { output: "jsonpath-as-json=" },
    [object0],
    "error: template format specified but no template given",
  ],
  [
    { output: "WIDE" },
    [object0],
    'error: unable to match a printer suitable for the output format "WIDE", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [{ output: "Name" }, [object0], "pod/web\n"],
  [
    { output: "Wide" },
    [object0],
    'error: unable to match a printer suitable for the output format "Wide", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [
    { output: "wide=x" },
    [object0],
    'error: unable to match a printer suitable for the output format "wide=x", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [
    { output: "GO-TEMPLATE={{.kind}}" },
    [object0],
    'error: unable to match a printer suitable for the output format "GO-TEMPLATE={{.kind}}", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [{ output: "go-template={{.kind}}=x" }, [object0], "Pod=x"],
  [{ output: "jsonpath={.kind}=x" }, [object0], "Pod=x"],
  [
    { output: "JSONPATH={.kind}" },
    [object0],
    'error: unable to match a printer suitable for the output format "JSONPATH={.kind}", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [{ output: "", template: "{{.kind}}" }, [object0], "Pod"],
  [
    { output: "json", template: "{{.kind}}" },
    [object0],
    '{\n    "apiVersion": "v1",\n    "kind": "Pod",\n    "metadata": {\n        "creationTimestamp": "2020-01-01T00:00:00Z",\n        "labels": {\n            "app": "web",\n            "tier": "front \\u003cend\\u003e"\n        },\n        "name": "web",\n        "namespace": "default"\n    },\n    "spec": {\n        "b64": "aGVsbG8=",\n        "big": 12345678.5,\n        "containers": [\n            {\n                "image": "nginx:1",\n                "name": "c1",\n                "ports": [\n                    {\n                        "containerPort": 80\n                    },\n                    {\n                        "containerPort": 443\n                    }\n                ]\n            },\n            {\n                "env": [],\n                "image": "busy",\n                "name": "c2"\n            }\n        ],\n        "empty": "",\n        "emptylist": [],\n        "emptymap": {},\n        "html": "\\u003ca href=\\"x\\"\\u003e\'\\u0026\'\\u003c/a\\u003e",\n        "list": [\n            "a",\n            "b",\n            "c"\n        ],\n        "mixed": [\n            1,\n            "x",\n            null,\n            true,\n            2.5,\n            {\n                "k": "v"\n            }\n        ],\n        "none": null,\n        "nums": [\n            1,\n            2,\n            3\n        ],\n        "off": false,\n        "on": true,\n        "ratio": 0.25,\n        "replicas": 3,\n        "text": "h\u00e9llo\\nworld"\n    }\n}\n',
  ],
  [{ output: "jsonpath", template: "{.kind}" }, [object0], "Pod"],
  [
    { output: "jsonpath={.x}", template: "{.kind}" },
    [object0],
    'error: unable to match a printer suitable for the output format "jsonpath={.x}", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [
    { output: "go-template={{.x}}", template: "{{.kind}}" },
    [object0],
    'error: unable to match a printer suitable for the output format "go-template={{.x}}", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [{ output: "custom-columns", template: "N:.kind" }, [object0], "N\nPod\n"],
  [
    { output: "custom-columns=A:.x", template: "N:.kind" },
    [object0],
    'error: unable to match a printer suitable for the output format "custom-columns=A:.x", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml',
  ],
  [{ output: "template", template: "{{.kind}}" }, [object0], "Pod"],
  [{ output: "jsonpath-as-json", template: "{.kind}" }, [object0], '[\n    "Pod"\n]\n'],
  [{ output: "name", template: "x" }, [object0], "pod/web\n"],
])("tablePrinter: %o", (given, printed, output) => {
  expect(asTable(given, printed)).toBe(output);
});

each<
  [options: Partial<TablePrintOptions & ActionPrintOptions>, printed: Printed[], output: string]
>([
  [{ output: "", operation: "created" }, [object0], "pod/web created\n"],
  [{ output: "name", operation: "created" }, [object0], "pod/web\n"],
  [{ output: "", operation: "created" }, [object1], "deployment.apps/d created\n"],
  [{ output: "name", operation: "created" }, [object1], "deployment.apps/d\n"],
  [{ output: "", operation: "created" }, [object2], "deployment.apps/<unknown> created\n"],
  [{ output: "name", operation: "created" }, [object2], "deployment.apps/<unknown>\n"],
  [
    { output: "", operation: "created" },
    [object3],
    "error: missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
  ],
  [
    { output: "name", operation: "created" },
    [object3],
    "error: missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
  ],
  [{ output: "", operation: "created" }, [object4], "pod/web created\npod/web created\n"],
  [{ output: "name", operation: "created" }, [object4], "pod/web\npod/web\n"],
  [
    { output: "nope" },
    [object0],
    'error: unable to match a printer suitable for the output format "nope", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "json=x" },
    [object0],
    'error: unable to match a printer suitable for the output format "json=x", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "custom-columns" },
    [object0],
    'error: unable to match a printer suitable for the output format "custom-columns", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "custom-columns=" },
    [object0],
    'error: unable to match a printer suitable for the output format "custom-columns=", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "custom-columns=A" },
    [object0],
    'error: unable to match a printer suitable for the output format "custom-columns=A", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "custom-columns=A:{.x" },
    [object0],
    'error: unable to match a printer suitable for the output format "custom-columns=A:{.x", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "custom-columns=A:.x,B" },
    [object0],
    'error: unable to match a printer suitable for the output format "custom-columns=A:.x,B", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [{ output: "go-template" }, [object0], "error: template format specified but no template given"],
  [{ output: "go-template=" }, [object0], "error: template format specified but no template given"],
  [{ output: "jsonpath" }, [object0], "error: template format specified but no template given"],
  [{ output: "jsonpath=" }, [object0], "error: template format specified but no template given"],
  [{ output: "template" }, [object0], "error: template format specified but no template given"],
  [{ output: "templatefile" }, [object0], "error: template format specified but no template given"],
  [
    { output: "go-template-file=/nonexistent" },
    [object0],
    "error: error reading --template /nonexistent, open /nonexistent: no such file or directory",
  ],
  [
    { output: "jsonpath-file=/nonexistent" },
    [object0],
    "error: error reading --template /nonexistent, open /nonexistent: no such file or directory",
  ],
  [
    { output: "custom-columns-file=/nonexistent" },
    [object0],
    'error: unable to match a printer suitable for the output format "custom-columns-file=/nonexistent", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "custom-columns-file" },
    [object0],
    'error: unable to match a printer suitable for the output format "custom-columns-file", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [{ output: "jsonpath={" }, [object0], "error: error parsing jsonpath {, unclosed action"],
  [
    { output: "go-template={{" },
    [object0],
    "error: error parsing template {{, template: output:1: unclosed action",
  ],
  [
    { output: "jsonpath-as-json=" },
    [object0],
    "error: template format specified but no template given",
  ],
  [
    { output: "WIDE" },
    [object0],
    'error: unable to match a printer suitable for the output format "WIDE", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [{ output: "Name" }, [object0], "pod/web\n"],
  [
    { output: "Wide" },
    [object0],
    'error: unable to match a printer suitable for the output format "Wide", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "wide=x" },
    [object0],
    'error: unable to match a printer suitable for the output format "wide=x", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [
    { output: "GO-TEMPLATE={{.kind}}" },
    [object0],
    'error: unable to match a printer suitable for the output format "GO-TEMPLATE={{.kind}}", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [{ output: "go-template={{.kind}}=x" }, [object0], "Pod=x"],
  [{ output: "jsonpath={.kind}=x" }, [object0], "Pod=x"],
  [
    { output: "JSONPATH={.kind}" },
    [object0],
    'error: unable to match a printer suitable for the output format "JSONPATH={.kind}", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
  ],
  [{ output: "json", template: "{{.kind}}" }, [object0], "Pod"],
  [{ output: "jsonpath", template: "{.kind}" }, [object0], "{.kind}"],
  [{ output: "jsonpath={.x}", template: "{.kind}" }, [object0], "{.kind}"],
  [{ output: "go-template={{.x}}", template: "{{.kind}}" }, [object0], "Pod"],
  [{ output: "custom-columns", template: "N:.kind" }, [object0], "N:.kind"],
  [{ output: "custom-columns=A:.x", template: "N:.kind" }, [object0], "N:.kind"],
  [{ output: "template", template: "{{.kind}}" }, [object0], "Pod"],
  [{ output: "jsonpath-as-json", template: "{.kind}" }, [object0], "{.kind}"],
  [{ output: "name", template: "x" }, [object0], "x"],
])("actionPrinter: %o", (given, printed, output) => {
  expect(asAction(given, printed)).toBe(output);
});
