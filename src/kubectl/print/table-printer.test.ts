import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type ActionPrintOptions, type TablePrintOptions, tablePrinter } from "./print-flags.ts";
import { anyOptions, type Printed, printedText } from "./printed-text.test-support.ts";
import { WatchEvent } from "./printer.ts";

// The expected texts are what kubectl 1.36 prints.
const object0 = {
  kind: "Table",
  apiVersion: "meta.k8s.io/v1",
  metadata: {},
  columnDefinitions: [
    { name: "Name", type: "string", format: "name", description: "d", priority: 0 },
    { name: "Ready", type: "string", format: "", description: "", priority: 0 },
    { name: "Restarts", type: "integer", format: "", priority: 0 },
    { name: "IP", type: "string", priority: 1 },
  ],
  rows: [
    {
      cells: ["web", "1/1", 0, "10.0.0.1"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "web", namespace: "default", labels: { app: "x" } },
      },
    },
    {
      cells: ["a-long-name-of-a-pod", "1/1", 0, "10.0.0.1"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: {
          name: "a-long-name-of-a-pod",
          namespace: "kube-system",
          labels: { b: "2", a: "1", "app.kubernetes.io/name": "n" },
        },
      },
    },
    {
      cells: ["none", "1/1", 0, "10.0.0.1"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "none", namespace: "x", labels: null },
      },
    },
    { cells: ["bare", "1/1", 0, "10.0.0.1"] },
  ],
};
const object1 = {
  kind: "Table",
  apiVersion: "meta.k8s.io/v1",
  metadata: {},
  columnDefinitions: [
    { name: "Name", type: "string", format: "name", description: "d", priority: 0 },
    { name: "Ready", type: "string", format: "", description: "", priority: 0 },
    { name: "Restarts", type: "integer", format: "", priority: 0 },
    { name: "IP", type: "string", priority: 1 },
  ],
  rows: [
    {
      cells: ["multi\nline", null, 1.5, "x\u001b[0m\ry"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "odd", namespace: "default", labels: { app: "x" } },
      },
    },
    {
      cells: ["short"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "s", namespace: "default", labels: { app: "x" } },
      },
    },
    {
      cells: ["many", "1", 2, "3", "4", "5"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "l", namespace: "default", labels: { app: "x" } },
      },
    },
    {
      cells: ["ff\fx", "\rcr", true, { a: 1 }],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "f", namespace: "default", labels: { app: "x" } },
      },
    },
  ],
};
const object2 = {
  kind: "Table",
  apiVersion: "meta.k8s.io/v1",
  metadata: {},
  columnDefinitions: [
    { name: "Name", type: "string", format: "name" },
    { name: "Type", type: "string" },
  ],
  rows: [
    {
      cells: ["svc", "x"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "svc", namespace: "default", labels: { app: "x" } },
      },
    },
  ],
};
const object3 = {
  kind: "Table",
  apiVersion: "meta.k8s.io/v1",
  metadata: {},
  columnDefinitions: [
    { name: "Name", type: "string", format: "name", description: "d", priority: 0 },
    { name: "Ready", type: "string", format: "", description: "", priority: 0 },
    { name: "Restarts", type: "integer", format: "", priority: 0 },
    { name: "IP", type: "string", priority: 1 },
  ],
  rows: [],
};
const object4 = {
  kind: "Table",
  apiVersion: "meta.k8s.io/v1beta1",
  metadata: {},
  columnDefinitions: [
    { name: "Name", type: "string", format: "name", description: "d", priority: 0 },
    { name: "Ready", type: "string", format: "", description: "", priority: 0 },
    { name: "Restarts", type: "integer", format: "", priority: 0 },
    { name: "IP", type: "string", priority: 1 },
  ],
  rows: [
    {
      cells: ["x", "1/1", 0, "10.0.0.1"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "x", namespace: "default", labels: { app: "x" } },
      },
    },
  ],
};
const object5 = {
  kind: "Table",
  apiVersion: "meta.k8s.io/v1",
  metadata: {},
  columnDefinitions: [],
  rows: [
    {
      cells: ["web", "0/1", 1, "1"],
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "web", namespace: "default", labels: { app: "x" } },
      },
    },
  ],
};
const object6 = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", labels: { app: "x" } },
  spec: { n: 0, c: [{ x: 0 }, { x: 1 }] },
};
const object7 = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a-very-long-name-for-a-pod", labels: {} },
  spec: { n: 1, c: [{ x: 1 }, { x: 2 }] },
};
const object8 = {
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

const asTable = (given: Partial<TablePrintOptions>, objects: readonly Printed[]) =>
  printedText(() => tablePrinter({ ...anyOptions, ...given }), objects);

each<
  [options: Partial<TablePrintOptions & ActionPrintOptions>, printed: Printed[], output: string]
>([
  [
    { output: "" },
    [object0],
    "NAME                   READY   RESTARTS\nweb                    1/1     0\na-long-name-of-a-pod   1/1     0\nnone                   1/1     0\nbare                   1/1     0\n",
  ],
  [
    { output: "wide" },
    [object0],
    "NAME                   READY   RESTARTS   IP\nweb                    1/1     0          10.0.0.1\na-long-name-of-a-pod   1/1     0          10.0.0.1\nnone                   1/1     0          10.0.0.1\nbare                   1/1     0          10.0.0.1\n",
  ],
  [
    { output: "", withNamespace: true },
    [object0],
    "NAMESPACE     NAME                   READY   RESTARTS\ndefault       web                    1/1     0\nkube-system   a-long-name-of-a-pod   1/1     0\nx             none                   1/1     0\n              bare                   1/1     0\n",
  ],
  [
    { output: "", showLabels: true },
    [object0],
    "NAME                   READY   RESTARTS   LABELS\nweb                    1/1     0          app=x\na-long-name-of-a-pod   1/1     0          a=1,app.kubernetes.io/name=n,b=2\nnone                   1/1     0          <none>\nbare                   1/1     0          \n",
  ],
  [
    { output: "", columnLabels: ["app", "app.kubernetes.io/name"] },
    [object0],
    "NAME                   READY   RESTARTS   APP   NAME\nweb                    1/1     0          x     \na-long-name-of-a-pod   1/1     0                n\nnone                   1/1     0                \nbare                   1/1     0          \n",
  ],
  [
    { output: "", kind: { kind: "pod", group: "" } },
    [object0],
    "NAME                       READY   RESTARTS\npod/web                    1/1     0\npod/a-long-name-of-a-pod   1/1     0\npod/none                   1/1     0\npod/bare                   1/1     0\n",
  ],
  [
    { output: "", kind: { kind: "Deployment", group: "apps" } },
    [object0],
    "NAME                                   READY   RESTARTS\ndeployment.apps/web                    1/1     0\ndeployment.apps/a-long-name-of-a-pod   1/1     0\ndeployment.apps/none                   1/1     0\ndeployment.apps/bare                   1/1     0\n",
  ],
  [
    { output: "", noHeaders: true },
    [object0],
    "web                    1/1   0\na-long-name-of-a-pod   1/1   0\nnone                   1/1   0\nbare                   1/1   0\n",
  ],
  [
    {
      output: "wide",
      showLabels: true,
      withNamespace: true,
      columnLabels: ["app"],
      kind: { kind: "pod", group: "" },
    },
    [object0],
    "NAMESPACE     NAME                       READY   RESTARTS   IP         APP   LABELS\ndefault       pod/web                    1/1     0          10.0.0.1   x     app=x\nkube-system   pod/a-long-name-of-a-pod   1/1     0          10.0.0.1         a=1,app.kubernetes.io/name=n,b=2\nx             pod/none                   1/1     0          10.0.0.1         <none>\n              pod/bare                   1/1     0          10.0.0.1   \n",
  ],
  [
    { output: "" },
    [object1],
    "NAME       READY   RESTARTS\nmulti...           1.5\nshort\nmany       1       2\nff...      ...     true\n",
  ],
  [
    { output: "wide" },
    [object1],
    "NAME       READY   RESTARTS   IP\nmulti...           1.5        x^[[0m...\nshort\nmany       1       2          3\nff...      ...     true       map[a:1]\n",
  ],
  [
    { output: "", withNamespace: true },
    [object1],
    "NAMESPACE   NAME       READY   RESTARTS\ndefault     multi...           1.5\ndefault     short\ndefault     many       1       2\ndefault     ff...      ...     true\n",
  ],
  [
    { output: "", showLabels: true },
    [object1],
    "NAME       READY   RESTARTS   LABELS\nmulti...           1.5        app=x\nshort      app=x\nmany       1       2          4\nff...      ...     true       app=x\n",
  ],
  [
    { output: "", columnLabels: ["app", "app.kubernetes.io/name"] },
    [object1],
    "NAME       READY   RESTARTS   APP   NAME\nmulti...           1.5        x     \nshort      x       \nmany       1       2          4     5\nff...      ...     true       x     \n",
  ],
  [
    { output: "", kind: { kind: "pod", group: "" } },
    [object1],
    "NAME           READY   RESTARTS\npod/multi...           1.5\npod/short\npod/many       1       2\npod/ff...      ...     true\n",
  ],
  [
    { output: "", kind: { kind: "Deployment", group: "apps" } },
    [object1],
    "NAME                       READY   RESTARTS\ndeployment.apps/multi...           1.5\ndeployment.apps/short\ndeployment.apps/many       1       2\ndeployment.apps/ff...      ...     true\n",
  ],
  [
    { output: "", noHeaders: true },
    [object1],
    "multi...         1.5\nshort\nmany       1     2\nff...      ...   true\n",
  ],
  [
    {
      output: "wide",
      showLabels: true,
      withNamespace: true,
      columnLabels: ["app"],
      kind: { kind: "pod", group: "" },
    },
    [object1],
    "NAMESPACE   NAME           READY   RESTARTS   IP          APP   LABELS\ndefault     pod/multi...           1.5        x^[[0m...   x     app=x\ndefault     pod/short      x       app=x\ndefault     pod/many       1       2          3           4     5\ndefault     pod/ff...      ...     true       map[a:1]    x     app=x\n",
  ],
  [{ output: "" }, [object2], "NAME   TYPE\nsvc    x\n"],
  [{ output: "wide" }, [object2], "NAME   TYPE\nsvc    x\n"],
  [
    { output: "", withNamespace: true },
    [object2],
    "NAMESPACE   NAME   TYPE\ndefault     svc    x\n",
  ],
  [{ output: "", showLabels: true }, [object2], "NAME   TYPE   LABELS\nsvc    x      app=x\n"],
  [
    { output: "", columnLabels: ["app", "app.kubernetes.io/name"] },
    [object2],
    "NAME   TYPE   APP   NAME\nsvc    x      x     \n",
  ],
  [{ output: "", kind: { kind: "pod", group: "" } }, [object2], "NAME      TYPE\npod/svc   x\n"],
  [
    { output: "", kind: { kind: "Deployment", group: "apps" } },
    [object2],
    "NAME                  TYPE\ndeployment.apps/svc   x\n",
  ],
  [{ output: "", noHeaders: true }, [object2], "svc   x\n"],
  [
    {
      output: "wide",
      showLabels: true,
      withNamespace: true,
      columnLabels: ["app"],
      kind: { kind: "pod", group: "" },
    },
    [object2],
    "NAMESPACE   NAME      TYPE   APP   LABELS\ndefault     pod/svc   x      x     app=x\n",
  ],
  [{ output: "" }, [object3], ""],
  [{ output: "wide" }, [object3], ""],
  [{ output: "", withNamespace: true }, [object3], ""],
  [{ output: "", showLabels: true }, [object3], ""],
  [{ output: "", columnLabels: ["app", "app.kubernetes.io/name"] }, [object3], ""],
  [{ output: "", kind: { kind: "pod", group: "" } }, [object3], ""],
  [{ output: "", kind: { kind: "Deployment", group: "apps" } }, [object3], ""],
  [{ output: "", noHeaders: true }, [object3], ""],
  [
    {
      output: "wide",
      showLabels: true,
      withNamespace: true,
      columnLabels: ["app"],
      kind: { kind: "pod", group: "" },
    },
    [object3],
    "",
  ],
  [{ output: "" }, [object4], "NAME   READY   RESTARTS\nx      1/1     0\n"],
  [
    { output: "wide" },
    [object4],
    "NAME   READY   RESTARTS   IP\nx      1/1     0          10.0.0.1\n",
  ],
  [
    { output: "", withNamespace: true },
    [object4],
    "NAMESPACE   NAME   READY   RESTARTS\ndefault     x      1/1     0\n",
  ],
  [
    { output: "", showLabels: true },
    [object4],
    "NAME   READY   RESTARTS   LABELS\nx      1/1     0          app=x\n",
  ],
  [
    { output: "", columnLabels: ["app", "app.kubernetes.io/name"] },
    [object4],
    "NAME   READY   RESTARTS   APP   NAME\nx      1/1     0          x     \n",
  ],
  [
    { output: "", kind: { kind: "pod", group: "" } },
    [object4],
    "NAME    READY   RESTARTS\npod/x   1/1     0\n",
  ],
  [
    { output: "", kind: { kind: "Deployment", group: "apps" } },
    [object4],
    "NAME                READY   RESTARTS\ndeployment.apps/x   1/1     0\n",
  ],
  [{ output: "", noHeaders: true }, [object4], "x     1/1   0\n"],
  [
    {
      output: "wide",
      showLabels: true,
      withNamespace: true,
      columnLabels: ["app"],
      kind: { kind: "pod", group: "" },
    },
    [object4],
    "NAMESPACE   NAME    READY   RESTARTS   IP         APP   LABELS\ndefault     pod/x   1/1     0          10.0.0.1   x     app=x\n",
  ],
  [
    { output: "" },
    [object0, object5, object5],
    "NAME                   READY   RESTARTS\nweb                    1/1     0\na-long-name-of-a-pod   1/1     0\nnone                   1/1     0\nbare                   1/1     0\nweb   0/1   1\nweb   0/1   1\n",
  ],
  [
    { output: "" },
    [object0, object2, object0, object3, object0],
    "NAME                   READY   RESTARTS\nweb                    1/1     0\na-long-name-of-a-pod   1/1     0\nnone                   1/1     0\nbare                   1/1     0\nNAME   TYPE\nsvc    x\nNAME                   READY   RESTARTS\nweb                    1/1     0\na-long-name-of-a-pod   1/1     0\nnone                   1/1     0\nbare                   1/1     0\nweb                    1/1   0\na-long-name-of-a-pod   1/1   0\nnone                   1/1   0\nbare                   1/1   0\n",
  ],
  [
    { output: "" },
    [
      new WatchEvent("ADDED", object0),
      new WatchEvent("MODIFIED", object5),
      new WatchEvent("DELETED", object5),
    ],
    "EVENT      NAME                   READY   RESTARTS\nADDED      web                    1/1     0\nADDED      a-long-name-of-a-pod   1/1     0\nADDED      none                   1/1     0\nADDED      bare                   1/1     0\nMODIFIED   web   0/1   1\nDELETED    web   0/1   1\n",
  ],
  [
    { output: "" },
    [
      new WatchEvent("BOOKMARK", object3),
      new WatchEvent("OTHER", object0),
      new WatchEvent("ERROR", object5),
    ],
    "EVENT   NAME                   READY   RESTARTS\nOTHER   web                    1/1     0\nOTHER   a-long-name-of-a-pod   1/1     0\nOTHER   none                   1/1     0\nOTHER   bare                   1/1     0\nERROR      web   0/1   1\n",
  ],
  [
    { output: "" },
    [object6, object7],
    "NAME   AGE\na      <unknown>\na-very-long-name-for-a-pod   <unknown>\n",
  ],
  [
    { output: "" },
    [object8],
    "NAME                         AGE\na                            <unknown>\na-very-long-name-for-a-pod   <unknown>\n\u00e9                            <unknown>\n",
  ],
  [
    { output: "" },
    [new WatchEvent("ADDED", object6), new WatchEvent("DELETED", object7)],
    "EVENT      NAME   AGE\nADDED      a      <unknown>\nDELETED    a-very-long-name-for-a-pod   <unknown>\n",
  ],
  [
    { output: "wide", withNamespace: true },
    [object0, object5, object5],
    "NAMESPACE     NAME                   READY   RESTARTS   IP\ndefault       web                    1/1     0          10.0.0.1\nkube-system   a-long-name-of-a-pod   1/1     0          10.0.0.1\nx             none                   1/1     0          10.0.0.1\n              bare                   1/1     0          10.0.0.1\ndefault   web   0/1   1     1\ndefault   web   0/1   1     1\n",
  ],
  [
    { output: "wide", withNamespace: true },
    [object0, object2, object0, object3, object0],
    "NAMESPACE     NAME                   READY   RESTARTS   IP\ndefault       web                    1/1     0          10.0.0.1\nkube-system   a-long-name-of-a-pod   1/1     0          10.0.0.1\nx             none                   1/1     0          10.0.0.1\n              bare                   1/1     0          10.0.0.1\nNAMESPACE   NAME   TYPE\ndefault     svc    x\nNAMESPACE     NAME                   READY   RESTARTS   IP\ndefault       web                    1/1     0          10.0.0.1\nkube-system   a-long-name-of-a-pod   1/1     0          10.0.0.1\nx             none                   1/1     0          10.0.0.1\n              bare                   1/1     0          10.0.0.1\ndefault       web                    1/1   0     10.0.0.1\nkube-system   a-long-name-of-a-pod   1/1   0     10.0.0.1\nx             none                   1/1   0     10.0.0.1\n              bare                   1/1   0     10.0.0.1\n",
  ],
  [
    { output: "wide", withNamespace: true },
    [
      new WatchEvent("ADDED", object0),
      new WatchEvent("MODIFIED", object5),
      new WatchEvent("DELETED", object5),
    ],
    "EVENT      NAMESPACE     NAME                   READY   RESTARTS   IP\nADDED      default       web                    1/1     0          10.0.0.1\nADDED      kube-system   a-long-name-of-a-pod   1/1     0          10.0.0.1\nADDED      x             none                   1/1     0          10.0.0.1\nADDED                    bare                   1/1     0          10.0.0.1\nMODIFIED   default   web   0/1   1     1\nDELETED    default   web   0/1   1     1\n",
  ],
  [
    { output: "wide", withNamespace: true },
    [
      new WatchEvent("BOOKMARK", object3),
      new WatchEvent("OTHER", object0),
      new WatchEvent("ERROR", object5),
    ],
    "EVENT   NAMESPACE     NAME                   READY   RESTARTS   IP\nOTHER   default       web                    1/1     0          10.0.0.1\nOTHER   kube-system   a-long-name-of-a-pod   1/1     0          10.0.0.1\nOTHER   x             none                   1/1     0          10.0.0.1\nOTHER                 bare                   1/1     0          10.0.0.1\nERROR      default   web   0/1   1     1\n",
  ],
  [
    { output: "wide", withNamespace: true },
    [object6, object7],
    "NAMESPACE   NAME   AGE\n            a      <unknown>\n      a-very-long-name-for-a-pod   <unknown>\n",
  ],
  [
    { output: "wide", withNamespace: true },
    [object8],
    "NAMESPACE   NAME                         AGE\n            a                            <unknown>\n            a-very-long-name-for-a-pod   <unknown>\n            \u00e9                            <unknown>\n",
  ],
  [
    { output: "wide", withNamespace: true },
    [new WatchEvent("ADDED", object6), new WatchEvent("DELETED", object7)],
    "EVENT      NAMESPACE   NAME   AGE\nADDED                  a      <unknown>\nDELETED          a-very-long-name-for-a-pod   <unknown>\n",
  ],
  [
    { output: "", showLabels: true },
    [object0, object5, object5],
    "NAME                   READY   RESTARTS   LABELS\nweb                    1/1     0          app=x\na-long-name-of-a-pod   1/1     0          a=1,app.kubernetes.io/name=n,b=2\nnone                   1/1     0          <none>\nbare                   1/1     0          \nweb   0/1   1     app=x\nweb   0/1   1     app=x\n",
  ],
  [
    { output: "", showLabels: true },
    [object0, object2, object0, object3, object0],
    "NAME                   READY   RESTARTS   LABELS\nweb                    1/1     0          app=x\na-long-name-of-a-pod   1/1     0          a=1,app.kubernetes.io/name=n,b=2\nnone                   1/1     0          <none>\nbare                   1/1     0          \nNAME   TYPE   LABELS\nsvc    x      app=x\nNAME                   READY   RESTARTS   LABELS\nweb                    1/1     0          app=x\na-long-name-of-a-pod   1/1     0          a=1,app.kubernetes.io/name=n,b=2\nnone                   1/1     0          <none>\nbare                   1/1     0          \nweb                    1/1   0     app=x\na-long-name-of-a-pod   1/1   0     a=1,app.kubernetes.io/name=n,b=2\nnone                   1/1   0     <none>\nbare                   1/1   0     \n",
  ],
  [
    { output: "", showLabels: true },
    [
      new WatchEvent("ADDED", object0),
      new WatchEvent("MODIFIED", object5),
      new WatchEvent("DELETED", object5),
    ],
    "EVENT      NAME                   READY   RESTARTS   LABELS\nADDED      web                    1/1     0          app=x\nADDED      a-long-name-of-a-pod   1/1     0          a=1,app.kubernetes.io/name=n,b=2\nADDED      none                   1/1     0          <none>\nADDED      bare                   1/1     0          \nMODIFIED   web   0/1   1     app=x\nDELETED    web   0/1   1     app=x\n",
  ],
  [
    { output: "", showLabels: true },
    [
      new WatchEvent("BOOKMARK", object3),
      new WatchEvent("OTHER", object0),
      new WatchEvent("ERROR", object5),
    ],
    "EVENT   NAME                   READY   RESTARTS   LABELS\nOTHER   web                    1/1     0          app=x\nOTHER   a-long-name-of-a-pod   1/1     0          a=1,app.kubernetes.io/name=n,b=2\nOTHER   none                   1/1     0          <none>\nOTHER   bare                   1/1     0          \nERROR      web   0/1   1     app=x\n",
  ],
  [
    { output: "", showLabels: true },
    [object6, object7],
    "NAME   AGE         LABELS\na      <unknown>   app=x\na-very-long-name-for-a-pod   <unknown>   <none>\n",
  ],
  [
    { output: "", showLabels: true },
    [object8],
    "NAME                         AGE         LABELS\na                            <unknown>   app=x\na-very-long-name-for-a-pod   <unknown>   <none>\n\u00e9                            <unknown>   <none>\n",
  ],
  [
    { output: "", showLabels: true },
    [new WatchEvent("ADDED", object6), new WatchEvent("DELETED", object7)],
    "EVENT      NAME   AGE         LABELS\nADDED      a      <unknown>   app=x\nDELETED    a-very-long-name-for-a-pod   <unknown>   <none>\n",
  ],
  [
    { output: "", noHeaders: true },
    [object0, object5, object5],
    "web                    1/1   0\na-long-name-of-a-pod   1/1   0\nnone                   1/1   0\nbare                   1/1   0\nweb   0/1   1\nweb   0/1   1\n",
  ],
  [
    { output: "", noHeaders: true },
    [object0, object2, object0, object3, object0],
    "web                    1/1   0\na-long-name-of-a-pod   1/1   0\nnone                   1/1   0\nbare                   1/1   0\nsvc   x\nweb                    1/1   0\na-long-name-of-a-pod   1/1   0\nnone                   1/1   0\nbare                   1/1   0\nweb                    1/1   0\na-long-name-of-a-pod   1/1   0\nnone                   1/1   0\nbare                   1/1   0\n",
  ],
  [
    { output: "", noHeaders: true },
    [
      new WatchEvent("ADDED", object0),
      new WatchEvent("MODIFIED", object5),
      new WatchEvent("DELETED", object5),
    ],
    "ADDED      web                    1/1   0\nADDED      a-long-name-of-a-pod   1/1   0\nADDED      none                   1/1   0\nADDED      bare                   1/1   0\nMODIFIED   web   0/1   1\nDELETED    web   0/1   1\n",
  ],
  [
    { output: "", noHeaders: true },
    [
      new WatchEvent("BOOKMARK", object3),
      new WatchEvent("OTHER", object0),
      new WatchEvent("ERROR", object5),
    ],
    "OTHER   web                    1/1   0\nOTHER   a-long-name-of-a-pod   1/1   0\nOTHER   none                   1/1   0\nOTHER   bare                   1/1   0\nERROR      web   0/1   1\n",
  ],
  [
    { output: "", noHeaders: true },
    [object6, object7],
    "a     <unknown>\na-very-long-name-for-a-pod   <unknown>\n",
  ],
  [
    { output: "", noHeaders: true },
    [object8],
    "a                            <unknown>\na-very-long-name-for-a-pod   <unknown>\n\u00e9                            <unknown>\n",
  ],
  [
    { output: "", noHeaders: true },
    [new WatchEvent("ADDED", object6), new WatchEvent("DELETED", object7)],
    "ADDED      a     <unknown>\nDELETED    a-very-long-name-for-a-pod   <unknown>\n",
  ],
  [{ output: "", kind: { kind: "Pod", group: "" } }, [object6], "NAME    AGE\npod/a   <unknown>\n"],
  [
    { output: "", withNamespace: true },
    [object0, object6, object0],
    "NAMESPACE     NAME                   READY   RESTARTS\ndefault       web                    1/1     0\nkube-system   a-long-name-of-a-pod   1/1     0\nx             none                   1/1     0\n              bare                   1/1     0\nNAMESPACE   NAME   AGE\n            a      <unknown>\ndefault       web                    1/1   0\nkube-system   a-long-name-of-a-pod   1/1   0\nx             none                   1/1   0\n              bare                   1/1   0\n",
  ],
  [
    { output: "", columnLabels: ["app", "x"] },
    [object6],
    "NAME   AGE         APP   X\na      <unknown>   x     \n",
  ],
])("TablePrinter: %o", (given, printed, output) => {
  expect(asTable(given, printed)).toBe(output);
});
